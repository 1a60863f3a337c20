// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat slid the top of its Nerts pile under a work pile.
 *
 * @param seat The seat.
 * @param card The card.
 * @param work The work pile.
 * @param uncovered The card that came to the top of the Nerts pile; absent for none.
 */
public record NertsTucked(int seat, NertsCard card, int work, NertsCard uncovered) implements NertsEvent.Kind, Writable
        {
    /** Reads one, to its end. */
    public static NertsTucked read(Input input) throws IOException {
        int seat = 0;
        NertsCard card = NertsCard.NERTS_CARD_UNSPECIFIED;
        int work = 0;
        NertsCard uncovered = NertsCard.NERTS_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> card = NertsCard.of(input.int32());
                case 3 -> work = input.uint32();
                case 4 -> uncovered = NertsCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NertsTucked(seat, card, work, uncovered);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (card.number() != 0) output.int32(2, card.number());
        if (work != 0) output.uint32(3, work);
        if (uncovered.number() != 0) output.int32(4, uncovered.number());
    }
}
