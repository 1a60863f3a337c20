// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lays value cards on a road. Their values add up to that of the road's end; on a road that a ship, king or emperor has
 * started and that has no other card, it is one card of any value.
 *
 * @param road The number of the road, its place in MakhopView.roads.
 * @param cards Cards of the hand. The last one is the new end of the road; the others may be in any order.
 */
public record MakhopExtend(int road, List<KamikisenCard> cards) implements MakhopMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopExtend read(Input input) throws IOException {
        int road = 0;
        List<KamikisenCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> road = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MakhopExtend(road, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (road != 0) output.uint32(1, road);
        output.enums(2, cards);
    }
}
