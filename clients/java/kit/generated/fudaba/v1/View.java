// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * What a seat, or a spectator, knows of a match of any game.
 *
 * @param game Exactly one is set: the match's game.
 */
public record View(Game game) implements Writable {
    /** What may stand in {@code game}. */
    public sealed interface Game permits NagaView, NapoleonView, NumbersCrushView, MokkaikView, NiekhiView, HouniekView,
            MakkaikView, NamtoView, TashotView, MakhopView, NertsView {}

    /** Reads one, to its end. */
    public static View read(Input input) throws IOException {
        Game game = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); game = NagaView.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); game = NapoleonView.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); game = NumbersCrushView.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); game = MokkaikView.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); game = NiekhiView.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); game = HouniekView.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); game = MakkaikView.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); game = NamtoView.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); game = TashotView.read(input); input.leave(end); }
                case 10 -> { int end = input.enter(); game = MakhopView.read(input); input.leave(end); }
                case 11 -> { int end = input.enter(); game = NertsView.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new View(game);
    }

    @Override
    public void write(Output output) throws IOException {
        if (game instanceof NagaView one) {
            output.message(1, one);
        } else if (game instanceof NapoleonView one) {
            output.message(2, one);
        } else if (game instanceof NumbersCrushView one) {
            output.message(3, one);
        } else if (game instanceof MokkaikView one) {
            output.message(4, one);
        } else if (game instanceof NiekhiView one) {
            output.message(5, one);
        } else if (game instanceof HouniekView one) {
            output.message(6, one);
        } else if (game instanceof MakkaikView one) {
            output.message(7, one);
        } else if (game instanceof NamtoView one) {
            output.message(8, one);
        } else if (game instanceof TashotView one) {
            output.message(9, one);
        } else if (game instanceof MakhopView one) {
            output.message(10, one);
        } else if (game instanceof NertsView one) {
            output.message(11, one);
        }
    }
}
