// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers several decisions, of any matches. The service takes or refuses each answer separately, as if it had come
 * alone. An answer that cannot be read is refused as MALFORMED, and the others count. Any bot may send this, whatever
 * its {@code hello} said.
 *
 * @param answers In the order in which they count, at most 1000. A message with more is refused as a whole, with
 *     MESSAGE_TOO_LARGE.
 */
public record Answers(List<Answer> answers) implements PlayRequest.Message, Writable {
    /** Reads one, to its end. */
    public static Answers read(Input input) throws IOException {
        List<Answer> answers = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); answers.add(Answer.read(input)); input.leave(end); }
                default -> input.skip();
            }
        }
        return new Answers(List.copyOf(answers));
    }

    @Override
    public void write(Output output) throws IOException {
        output.messages(1, answers);
    }
}
