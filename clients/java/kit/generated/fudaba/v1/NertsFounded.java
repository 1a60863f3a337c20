// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat played a card to a foundation.
 *
 * @param seat The seat.
 * @param source Where the card came from.
 * @param card The card.
 * @param foundation The foundation.
 * @param uncovered The card that came to the top of the Nerts pile or the waste; absent for none.
 */
public record NertsFounded(int seat, NertsSource source, NertsCard card, int foundation, NertsCard uncovered)
        implements NertsEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsFounded read(Input input) throws IOException {
        int seat = 0;
        NertsSource source = NertsSource.UNSPECIFIED;
        NertsCard card = NertsCard.NERTS_CARD_UNSPECIFIED;
        int foundation = 0;
        NertsCard uncovered = NertsCard.NERTS_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> source = NertsSource.of(input.int32());
                case 3 -> card = NertsCard.of(input.int32());
                case 4 -> foundation = input.uint32();
                case 5 -> uncovered = NertsCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NertsFounded(seat, source, card, foundation, uncovered);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (source.number() != 0) output.int32(2, source.number());
        if (card.number() != 0) output.int32(3, card.number());
        if (foundation != 0) output.uint32(4, foundation);
        if (uncovered.number() != 0) output.int32(5, uncovered.number());
    }
}
