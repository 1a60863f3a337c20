package fudaba.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Writes the fields of a message, one after the other. */
public final class Output {
    private final CodedOutputStream out;

    private Output(CodedOutputStream out) {
        this.out = out;
    }

    /** A message on the wire. */
    public static byte[] bytes(Writable message) {
        try {
            return written(message::write);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // it goes to memory
        }
    }

    private interface Content {
        void write(Output output) throws IOException;
    }

    private static byte[] written(Content content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, 256);
        content.write(new Output(out));
        out.flush();
        return bytes.toByteArray();
    }

    public void uint32(int field, int value) throws IOException {
        out.writeUInt32(field, value);
    }

    public void int32(int field, int value) throws IOException {
        out.writeInt32(field, value);
    }

    public void sint32(int field, int value) throws IOException {
        out.writeSInt32(field, value);
    }

    public void uint64(int field, long value) throws IOException {
        out.writeUInt64(field, value);
    }

    public void int64(int field, long value) throws IOException {
        out.writeInt64(field, value);
    }

    public void sint64(int field, long value) throws IOException {
        out.writeSInt64(field, value);
    }

    public void bool(int field, boolean value) throws IOException {
        out.writeBool(field, value);
    }

    public void string(int field, String value) throws IOException {
        out.writeString(field, value);
    }

    public void bytes(int field, ByteString value) throws IOException {
        out.writeBytes(field, value);
    }

    /** A message, unless it is null. */
    public void message(int field, Writable value) throws IOException {
        if (value != null) {
            out.writeByteArray(field, bytes(value));
        }
    }

    public void messages(int field, List<? extends Writable> values) throws IOException {
        for (Writable value : values) {
            message(field, value);
        }
    }

    public void strings(int field, List<String> values) throws IOException {
        for (String value : values) {
            out.writeString(field, value);
        }
    }

    public void uint32s(int field, List<Integer> values) throws IOException {
        packed(field, values, inner -> {
            for (int value : values) {
                inner.out.writeUInt32NoTag(value);
            }
        });
    }

    public void sint32s(int field, List<Integer> values) throws IOException {
        packed(field, values, inner -> {
            for (int value : values) {
                inner.out.writeSInt32NoTag(value);
            }
        });
    }

    public void enums(int field, List<? extends Numbered> values) throws IOException {
        packed(field, values, inner -> {
            for (Numbered value : values) {
                inner.out.writeEnumNoTag(value.number());
            }
        });
    }

    private void packed(int field, List<?> values, Content content) throws IOException {
        if (!values.isEmpty()) {
            out.writeByteArray(field, written(content));
        }
    }
}
