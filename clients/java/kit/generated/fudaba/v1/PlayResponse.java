// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A message to a bot.
 *
 * @param message Exactly one is set.
 */
public record PlayResponse(Message message) implements Writable {
    /** What may stand in {@code message}. */
    public sealed interface Message permits Welcome, SeatUpdate, Refusal, Ping, SeatUpdates {}

    /** Reads one, to its end. */
    public static PlayResponse read(Input input) throws IOException {
        Message message = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); message = Welcome.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); message = SeatUpdate.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); message = Refusal.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); message = Ping.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); message = SeatUpdates.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new PlayResponse(message);
    }

    @Override
    public void write(Output output) throws IOException {
        if (message instanceof Welcome one) {
            output.message(1, one);
        } else if (message instanceof SeatUpdate one) {
            output.message(2, one);
        } else if (message instanceof Refusal one) {
            output.message(3, one);
        } else if (message instanceof Ping one) {
            output.message(4, one);
        } else if (message instanceof SeatUpdates one) {
            output.message(5, one);
        }
    }
}
