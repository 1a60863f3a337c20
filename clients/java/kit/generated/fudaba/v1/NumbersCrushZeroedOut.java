// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A zero-out was declared. When several seats declare one at the same time there is one event for each. The first one
 * has it: the soonest in play order after the seat that acted last. None of them can counter.
 *
 * @param seat The seat.
 * @param cards Its hand, in deck order.
 */
public record NumbersCrushZeroedOut(int seat, List<NumbersCrushCard> cards) implements NumbersCrushEvent.Kind, Writable
        {
    /** Reads one, to its end. */
    public static NumbersCrushZeroedOut read(Input input) throws IOException {
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
        return new NumbersCrushZeroedOut(seat, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, cards);
    }
}
