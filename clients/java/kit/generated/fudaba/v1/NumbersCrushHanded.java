// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Which card a seat gave to another.
 *
 * @param seat The seat that gave it.
 * @param to The seat that has it now.
 * @param card The card.
 */
public record NumbersCrushHanded(int seat, int to, NumbersCrushCard card) implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushHanded read(Input input) throws IOException {
        int seat = 0;
        int to = 0;
        NumbersCrushCard card = NumbersCrushCard.NUMBERS_CRUSH_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> to = input.uint32();
                case 3 -> card = NumbersCrushCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NumbersCrushHanded(seat, to, card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (to != 0) output.uint32(2, to);
        if (card.number() != 0) output.int32(3, card.number());
    }
}
