// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A message from a bot.
 *
 * @param message Exactly one must be set.
 */
public record PlayRequest(Message message) implements Writable {
    /** What may stand in {@code message}. */
    public sealed interface Message permits Hello, Answer, Resign, Pong, Pause, Resume, Answers {}

    /** Reads one, to its end. */
    public static PlayRequest read(Input input) throws IOException {
        Message message = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); message = Hello.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); message = Answer.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); message = Resign.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); message = Pong.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); message = Pause.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); message = Resume.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); message = Answers.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new PlayRequest(message);
    }

    @Override
    public void write(Output output) throws IOException {
        if (message instanceof Hello one) {
            output.message(1, one);
        } else if (message instanceof Answer one) {
            output.message(2, one);
        } else if (message instanceof Resign one) {
            output.message(3, one);
        } else if (message instanceof Pong one) {
            output.message(4, one);
        } else if (message instanceof Pause one) {
            output.message(5, one);
        } else if (message instanceof Resume one) {
            output.message(6, one);
        } else if (message instanceof Answers one) {
            output.message(7, one);
        }
    }
}
