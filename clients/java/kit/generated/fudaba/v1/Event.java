// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a match of any game, as the receiver may know it.
 *
 * @param game Exactly one is set: the match's game.
 */
public record Event(Game game) implements Writable {
    /** What may stand in {@code game}. */
    public sealed interface Game permits NagaEvent, NapoleonEvent, NumbersCrushEvent, MokkaikEvent, NiekhiEvent,
            HouniekEvent, MakkaikEvent, NamtoEvent, TashotEvent, MakhopEvent, NertsEvent {}

    /** Reads one, to its end. */
    public static Event read(Input input) throws IOException {
        Game game = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); game = NagaEvent.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); game = NapoleonEvent.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); game = NumbersCrushEvent.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); game = MokkaikEvent.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); game = NiekhiEvent.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); game = HouniekEvent.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); game = MakkaikEvent.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); game = NamtoEvent.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); game = TashotEvent.read(input); input.leave(end); }
                case 10 -> { int end = input.enter(); game = MakhopEvent.read(input); input.leave(end); }
                case 11 -> { int end = input.enter(); game = NertsEvent.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new Event(game);
    }

    @Override
    public void write(Output output) throws IOException {
        if (game instanceof NagaEvent one) {
            output.message(1, one);
        } else if (game instanceof NapoleonEvent one) {
            output.message(2, one);
        } else if (game instanceof NumbersCrushEvent one) {
            output.message(3, one);
        } else if (game instanceof MokkaikEvent one) {
            output.message(4, one);
        } else if (game instanceof NiekhiEvent one) {
            output.message(5, one);
        } else if (game instanceof HouniekEvent one) {
            output.message(6, one);
        } else if (game instanceof MakkaikEvent one) {
            output.message(7, one);
        } else if (game instanceof NamtoEvent one) {
            output.message(8, one);
        } else if (game instanceof TashotEvent one) {
            output.message(9, one);
        } else if (game instanceof MakhopEvent one) {
            output.message(10, one);
        } else if (game instanceof NertsEvent one) {
            output.message(11, one);
        }
    }
}
