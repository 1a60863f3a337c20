package fudaba.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/** Reads the fields of messages, one after the other. What is no message throws an IOException. */
public final class Input {
    private final CodedInputStream in;
    private int tag;
    /** Whether the field has one element by itself, which has not been read yet. */
    private boolean alone;

    public Input(byte[] bytes) {
        in = CodedInputStream.newInstance(bytes);
    }

    public Input(ByteString bytes) {
        in = bytes.newCodedInput();
    }

    /** The number of the next field; 0 when the message is over. */
    public int next() throws IOException {
        tag = in.readTag();
        return WireFormat.getTagFieldNumber(tag);
    }

    /** Passes over the field. */
    public void skip() throws IOException {
        in.skipField(tag);
    }

    /** Goes into the message that the field is; returns what {@link #leave} wants. */
    public int enter() throws IOException {
        return in.pushLimit(in.readRawVarint32());
    }

    /** Comes back from a message that has been read. */
    public void leave(int end) throws IOException {
        in.checkLastTagWas(0);
        in.popLimit(end);
    }

    /** Begins the elements that the field is, or has one of; returns what {@link #more} wants. */
    public int pack() throws IOException {
        alone = WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED;
        return alone ? -1 : enter();
    }

    /** Whether there is another element. */
    public boolean more(int end) {
        if (end < 0) {
            boolean one = alone;
            alone = false;
            return one;
        }
        if (in.getBytesUntilLimit() > 0) {
            return true;
        }
        in.popLimit(end);
        return false;
    }

    public int uint32() throws IOException {
        return in.readUInt32();
    }

    public int int32() throws IOException {
        return in.readInt32();
    }

    public int sint32() throws IOException {
        return in.readSInt32();
    }

    public long uint64() throws IOException {
        return in.readUInt64();
    }

    public long int64() throws IOException {
        return in.readInt64();
    }

    public long sint64() throws IOException {
        return in.readSInt64();
    }

    public boolean bool() throws IOException {
        return in.readBool();
    }

    public String string() throws IOException {
        return in.readStringRequireUtf8();
    }

    public ByteString bytes() throws IOException {
        return in.readBytes();
    }
}
