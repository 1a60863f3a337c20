// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A card was played.
 *
 * @param seat The seat that played it.
 * @param card The card.
 */
public record NapoleonPlayed(int seat, NapoleonCard card) implements NapoleonEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonPlayed read(Input input) throws IOException {
        int seat = 0;
        NapoleonCard card = NapoleonCard.NAPOLEON_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> card = NapoleonCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NapoleonPlayed(seat, card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (card.number() != 0) output.int32(2, card.number());
    }
}
