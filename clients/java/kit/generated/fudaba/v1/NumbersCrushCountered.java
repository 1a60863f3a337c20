// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A zero-out was countered.
 *
 * @param seat The seat that wins: of the seats that countered, the soonest in play order after the one that declared
 *     the zero-out.
 * @param cards Cards of its hand that make the base's number, in deck order.
 */
public record NumbersCrushCountered(int seat, List<NumbersCrushCard> cards) implements NumbersCrushEvent.Kind, Writable
        {
    /** Reads one, to its end. */
    public static NumbersCrushCountered read(Input input) throws IOException {
        int seat = 0;
        List<NumbersCrushCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);)
                        cards.add(NumbersCrushCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NumbersCrushCountered(seat, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, cards);
    }
}
