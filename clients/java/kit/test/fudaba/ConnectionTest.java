package fudaba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status.Code;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConnectionTest {
    @Test
    void delaysGrowToTheLongestAndAreNeverInStep() {
        assertEquals(Duration.ofMillis(100), Connection.delayBefore(0, Duration.ZERO, 0));
        assertEquals(Duration.ofMillis(200), Connection.delayBefore(0, Duration.ZERO, 1));
        assertEquals(Duration.ofSeconds(15), Connection.delayBefore(100, Duration.ZERO, 1));
        assertEquals(Duration.ofMinutes(1), Connection.delayBefore(0, Duration.ofMinutes(1), 1));
    }

    @Test
    void whatTryingAgainCannotMendEndsIt() {
        assertTrue(end(Code.UNAUTHENTICATED, "", 0).isFatal());
        assertTrue(end(Code.ABORTED, "SUPERSEDED", 0).isFatal());
        assertTrue(end(Code.RESOURCE_EXHAUSTED, "", 0).isFatal());
        assertFalse(end(Code.UNAVAILABLE, "", 0).isFatal());
        assertFalse(end(Code.RESOURCE_EXHAUSTED, "TOO_FAST", 0).isFatal());
        assertFalse(end(Code.FAILED_PRECONDITION, "", 1).isFatal());
        assertFalse(end(Code.OK, "", 0).isFatal());
    }

    private static Failure end(Code code, String reason, int retryAfter) {
        return new Failure(code, reason, "", Duration.ofSeconds(retryAfter), null);
    }
}
