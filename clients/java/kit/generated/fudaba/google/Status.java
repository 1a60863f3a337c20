// Made by clients/java/generate from the contract; not to be changed.
package fudaba.google;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code Status} type defines a logical error model that is suitable for different programming environments,
 * including REST APIs and RPC APIs. It is used by [gRPC](https://github.com/grpc). Each {@code Status} message contains
 * three pieces of data: error code, error message, and error details. You can find out more about this error model and
 * how to work with it in the [API Design Guide](https://cloud.google.com/apis/design/errors).
 *
 * @param code The status code, which should be an enum value of [google.rpc.Code][google.rpc.Code].
 * @param message A developer-facing error message, which should be in English. Any user-facing error message should be
 *     localized and sent in the [google.rpc.Status.details][google.rpc.Status.details] field, or localized by the
 *     client.
 * @param details A list of messages that carry the error details. There is a common set of message types for APIs to
 *     use.
 */
public record Status(int code, String message, List<Any> details) implements Writable {
    /** Reads one, to its end. */
    public static Status read(Input input) throws IOException {
        int code = 0;
        String message = "";
        List<Any> details = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> code = input.int32();
                case 2 -> message = input.string();
                case 3 -> { int end = input.enter(); details.add(Any.read(input)); input.leave(end); }
                default -> input.skip();
            }
        }
        return new Status(code, message, List.copyOf(details));
    }

    @Override
    public void write(Output output) throws IOException {
        if (code != 0) output.int32(1, code);
        if (!message.isEmpty()) output.string(2, message);
        output.messages(3, details);
    }
}
