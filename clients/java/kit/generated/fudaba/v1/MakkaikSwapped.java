// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat swapped a card of its hand with a public card.
 *
 * @param seat The seat.
 * @param given The card that became public.
 * @param taken The public card that it took.
 */
public record MakkaikSwapped(int seat, KamikisenCard given, KamikisenCard taken) implements MakkaikEvent.Kind, Writable
        {
    /** Reads one, to its end. */
    public static MakkaikSwapped read(Input input) throws IOException {
        int seat = 0;
        KamikisenCard given = KamikisenCard.UNSPECIFIED;
        KamikisenCard taken = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> given = KamikisenCard.of(input.int32());
                case 3 -> taken = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new MakkaikSwapped(seat, given, taken);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (given.number() != 0) output.int32(2, given.number());
        if (taken.number() != 0) output.int32(3, taken.number());
    }
}
