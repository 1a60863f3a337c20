// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Cards came into a hand from the stock.
 *
 * @param seat The seat.
 * @param cards The cards, in deck order.
 */
public record NumbersCrushReceived(int seat, List<NumbersCrushCard> cards) implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushReceived read(Input input) throws IOException {
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
        return new NumbersCrushReceived(seat, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, cards);
    }
}
