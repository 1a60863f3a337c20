// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A seat laid cards on a road.
 *
 * @param seat The seat.
 * @param road The number of the road.
 * @param cards The cards; the last one is the new end.
 */
public record MakhopExtended(int seat, int road, List<KamikisenCard> cards) implements MakhopEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopExtended read(Input input) throws IOException {
        int seat = 0;
        int road = 0;
        List<KamikisenCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> road = input.uint32();
                case 3 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MakhopExtended(seat, road, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (road != 0) output.uint32(2, road);
        output.enums(3, cards);
    }
}
