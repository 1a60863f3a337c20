// Made by clients/java/generate from the contract; not to be changed.
package fudaba.google;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Describes when the clients can retry a failed request. Clients could ignore the recommendation here or retry when
 * this information is missing from error responses. It's always recommended that clients should use exponential backoff
 * when retrying. Clients should wait until {@code retry_delay} amount of time has passed since receiving the error
 * response before retrying. If retrying requests also fail, clients should use an exponential backoff scheme to
 * gradually increase the delay between retries based on {@code retry_delay}, until either a maximum number of retries
 * have been reached or a maximum retry delay cap has been reached.
 *
 * @param retryDelay Clients should wait at least this long between retrying the same request.
 */
public record RetryInfo(Duration retryDelay) implements Writable {
    /** Reads one, to its end. */
    public static RetryInfo read(Input input) throws IOException {
        Duration retryDelay = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); retryDelay = Duration.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new RetryInfo(retryDelay);
    }

    @Override
    public void write(Output output) throws IOException {
        output.message(1, retryDelay);
    }
}
