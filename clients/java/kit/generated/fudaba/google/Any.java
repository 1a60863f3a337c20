// Made by clients/java/generate from the contract; not to be changed.
package fudaba.google;

import com.google.protobuf.ByteString;
import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * {@code Any} contains an arbitrary serialized protocol buffer message along with a URL that describes the type of the
 * serialized message. In its binary encoding, an {@code Any} is an ordinary message; but in other wire forms like JSON,
 * it has a special encoding. The format of the type URL is described on the {@code type_url} field. Protobuf APIs
 * provide utilities to interact with {@code Any} values: - A 'pack' operation accepts a message and constructs a
 * generic {@code Any} wrapper around it. - An 'unpack' operation reads the content of an {@code Any} message, either
 * into an existing message or a new one. Unpack operations must check the type of the value they unpack against the
 * declared {@code type_url}. - An 'is' operation decides whether an {@code Any} contains a message of the given type,
 * i.e. whether it can 'unpack' that type. The JSON format representation of an {@code Any} follows one of these cases:
 * - For types without special-cased JSON encodings, the JSON format representation of the {@code Any} is the same as
 * that of the message, with an additional {@code &#64;type} field which contains the type URL. - For types with
 * special-cased JSON encodings (typically called 'well-known' types, listed in
 * https://protobuf.dev/programming-guides/json/#any), the JSON format representation has a key {@code &#64;type} which
 * contains the type URL and a key {@code value} which contains the JSON-serialized value. The text format
 * representation of an {@code Any} is like a message with one field whose name is the type URL in brackets. For
 * example, an {@code Any} containing a {@code foo.Bar} message may be written `[type.googleapis.com/foo.Bar] { a: 2 }`.
 *
 * @param typeUrl Identifies the type of the serialized Protobuf message with a URI reference consisting of a prefix
 *     ending in a slash and the fully-qualified type name. Example: type.googleapis.com/google.protobuf.StringValue
 *     This string must contain at least one {@code /} character, and the content after the last {@code /} must be the
 *     fully-qualified name of the type in canonical form, without a leading dot. Do not write a scheme on these URI
 *     references so that clients do not attempt to contact them. The prefix is arbitrary and Protobuf implementations
 *     are expected to simply strip off everything up to and including the last {@code /} to identify the type.
 *     {@code type.googleapis.com/} is a common default prefix that some legacy implementations require. This prefix
 *     does not indicate the origin of the type, and URIs containing it are not expected to respond to any requests. All
 *     type URL strings must be legal URI references with the additional restriction (for the text format) that the
 *     content of the reference must consist only of alphanumeric characters, percent-encoded escapes, and characters in
 *     the following set (not including the outer backticks): {@code /-.~_!$&amp;()*+,;=}. Despite our allowing percent
 *     encodings, implementations should not unescape them to prevent confusion with existing parsers. For example,
 *     {@code type.googleapis.com%2FFoo} should be rejected. In the original design of {@code Any}, the possibility of
 *     launching a type resolution service at these type URLs was considered but Protobuf never implemented one and
 *     considers contacting these URLs to be problematic and a potential security issue. Do not attempt to contact type
 *     URLs.
 * @param value Holds a Protobuf serialization of the type described by type_url.
 */
public record Any(String typeUrl, ByteString value) implements Writable {
    /** Reads one, to its end. */
    public static Any read(Input input) throws IOException {
        String typeUrl = "";
        ByteString value = ByteString.EMPTY;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> typeUrl = input.string();
                case 2 -> value = input.bytes();
                default -> input.skip();
            }
        }
        return new Any(typeUrl, value);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!typeUrl.isEmpty()) output.string(1, typeUrl);
        if (!value.isEmpty()) output.bytes(2, value);
    }
}
