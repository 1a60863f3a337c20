// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat laid a card on a work pile of its own.
 *
 * @param seat The seat.
 * @param source Where the card came from.
 * @param card The card.
 * @param work The work pile.
 * @param uncovered The card that came to the top of the Nerts pile or the waste; absent for none.
 */
public record NertsBuilt(int seat, NertsSource source, NertsCard card, int work, NertsCard uncovered)
        implements NertsEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsBuilt read(Input input) throws IOException {
        int seat = 0;
        NertsSource source = NertsSource.UNSPECIFIED;
        NertsCard card = NertsCard.NERTS_CARD_UNSPECIFIED;
        int work = 0;
        NertsCard uncovered = NertsCard.NERTS_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> source = NertsSource.of(input.int32());
                case 3 -> card = NertsCard.of(input.int32());
                case 4 -> work = input.uint32();
                case 5 -> uncovered = NertsCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NertsBuilt(seat, source, card, work, uncovered);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (source.number() != 0) output.int32(2, source.number());
        if (card.number() != 0) output.int32(3, card.number());
        if (work != 0) output.uint32(4, work);
        if (uncovered.number() != 0) output.int32(5, uncovered.number());
    }
}
