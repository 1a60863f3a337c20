// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lays value cards that add up to the sum of two roads' ends. The roads become one.
 *
 * @param road The number of a road. The service sends the lower one first; in a move either may be first.
 * @param otherRoad The number of another road.
 * @param cards Cards of the hand. The last one is the end of the joined road; the others may be in any order.
 */
public record MakhopJoin(int road, int otherRoad, List<KamikisenCard> cards) implements MakhopMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopJoin read(Input input) throws IOException {
        int road = 0;
        int otherRoad = 0;
        List<KamikisenCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> road = input.uint32();
                case 2 -> otherRoad = input.uint32();
                case 3 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MakhopJoin(road, otherRoad, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (road != 0) output.uint32(1, road);
        if (otherRoad != 0) output.uint32(2, otherRoad);
        output.enums(3, cards);
    }
}
