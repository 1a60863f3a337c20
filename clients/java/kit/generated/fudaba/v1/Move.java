// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A move of any game. The game must be the match's.
 *
 * @param game Exactly one must be set.
 */
public record Move(Game game) implements Answer.Choice, Writable {
    /** What may stand in {@code game}. */
    public sealed interface Game permits NagaMove, NapoleonMove, NumbersCrushMove, MokkaikMove, NiekhiMove, HouniekMove,
            MakkaikMove, NamtoMove, TashotMove, MakhopMove, NertsMove {}

    /** Reads one, to its end. */
    public static Move read(Input input) throws IOException {
        Game game = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); game = NagaMove.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); game = NapoleonMove.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); game = NumbersCrushMove.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); game = MokkaikMove.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); game = NiekhiMove.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); game = HouniekMove.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); game = MakkaikMove.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); game = NamtoMove.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); game = TashotMove.read(input); input.leave(end); }
                case 10 -> { int end = input.enter(); game = MakhopMove.read(input); input.leave(end); }
                case 11 -> { int end = input.enter(); game = NertsMove.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new Move(game);
    }

    @Override
    public void write(Output output) throws IOException {
        if (game instanceof NagaMove one) {
            output.message(1, one);
        } else if (game instanceof NapoleonMove one) {
            output.message(2, one);
        } else if (game instanceof NumbersCrushMove one) {
            output.message(3, one);
        } else if (game instanceof MokkaikMove one) {
            output.message(4, one);
        } else if (game instanceof NiekhiMove one) {
            output.message(5, one);
        } else if (game instanceof HouniekMove one) {
            output.message(6, one);
        } else if (game instanceof MakkaikMove one) {
            output.message(7, one);
        } else if (game instanceof NamtoMove one) {
            output.message(8, one);
        } else if (game instanceof TashotMove one) {
            output.message(9, one);
        } else if (game instanceof MakhopMove one) {
            output.message(10, one);
        } else if (game instanceof NertsMove one) {
            output.message(11, one);
        }
    }
}
