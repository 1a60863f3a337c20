package fudaba;

import fudaba.google.Any;
import fudaba.google.ErrorInfo;
import fudaba.google.RetryInfo;
import fudaba.wire.Input;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Why a stream ended.
 *
 * @param code The status code.
 * @param reason One of contract/fudaba/v1/errors.proto; empty when it was not the service that spoke.
 * @param message For people.
 * @param retryAfter How long the service asks to wait before the next attempt.
 * @param cause What went wrong on this side, or null.
 */
record Failure(Status.Code code, String reason, String message, Duration retryAfter, Throwable cause) {
    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
    private static final Set<Status.Code> USELESS = EnumSet.of(
            Status.Code.UNAUTHENTICATED, Status.Code.PERMISSION_DENIED, Status.Code.INVALID_ARGUMENT,
            Status.Code.NOT_FOUND, Status.Code.FAILED_PRECONDITION, Status.Code.UNIMPLEMENTED);

    /** What the end of a call says. */
    static Failure of(Status status, Metadata trailers) {
        String reason = "";
        Duration retryAfter = Duration.ZERO;
        byte[] details = trailers.get(DETAILS);
        try {
            if (details != null) {
                for (Any detail : fudaba.google.Status.read(new Input(details)).details()) {
                    if (detail.typeUrl().endsWith("/google.rpc.ErrorInfo")) {
                        ErrorInfo info = ErrorInfo.read(new Input(detail.value()));
                        reason = info.domain().equals("fudaba") ? info.reason() : reason;
                    } else if (detail.typeUrl().endsWith("/google.rpc.RetryInfo")) {
                        fudaba.google.Duration delay = RetryInfo.read(new Input(detail.value())).retryDelay();
                        retryAfter = delay == null ? retryAfter : Duration.ofSeconds(delay.seconds(), delay.nanos());
                    }
                }
            }
        } catch (IOException error) {
            // Details that nobody can read say nothing.
        }
        return new Failure(status.getCode(), reason, messageOf(status), retryAfter, status.getCause());
    }

    private static String messageOf(Status status) {
        if (status.isOk()) {
            return "the service ended it";
        }
        String description = status.getDescription() == null ? "" : status.getDescription();
        StringBuilder message = new StringBuilder(status.getCause() == null ? description : firstLineOf(description));
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            String text = String.valueOf(cause.getMessage());
            if (message.indexOf(text) < 0) {
                message.append(message.isEmpty() ? "" : ": ").append(text);
            }
        }
        return message.toString();
    }

    /** Below it are Netty's own notes. */
    private static String firstLineOf(String text) {
        return text.lines().findFirst().orElse("");
    }

    /** Whether it is of no use to connect again. */
    boolean isFatal() {
        // Without a reason it is gRPC's own: a message is too large, and will be the next time.
        boolean tooLarge = code == Status.Code.RESOURCE_EXHAUSTED && reason.isEmpty();
        return USELESS.contains(code) && retryAfter.isZero() || reason.equals("SUPERSEDED") || tooLarge;
    }

    @Override
    public String toString() {
        return (reason.isEmpty() ? code : reason) + ": " + message;
    }
}
