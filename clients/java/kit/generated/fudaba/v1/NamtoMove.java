// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Namto. Text: {@code fold}, {@code bet 5}, {@code call}.
 *
 * @param kind Exactly one kind must be set.
 */
public record NamtoMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NamtoFold, NamtoBet, NamtoCall {}

    /** Reads one, to its end. */
    public static NamtoMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NamtoFold.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NamtoBet.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NamtoCall.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NamtoMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NamtoFold one) {
            output.message(1, one);
        } else if (kind instanceof NamtoBet one) {
            output.message(2, one);
        } else if (kind instanceof NamtoCall one) {
            output.message(3, one);
        }
    }
}
