// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A seat made two roads one.
 *
 * @param seat The seat.
 * @param road The lower number of the two. The joined road has it.
 * @param otherRoad The higher number. Roads with higher ones have moved up by one.
 * @param cards The cards; the last one is the end of the joined road.
 */
public record MakhopJoined(int seat, int road, int otherRoad, List<KamikisenCard> cards) implements MakhopEvent.Kind,
        Writable {
    /** Reads one, to its end. */
    public static MakhopJoined read(Input input) throws IOException {
        int seat = 0;
        int road = 0;
        int otherRoad = 0;
        List<KamikisenCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> road = input.uint32();
                case 3 -> otherRoad = input.uint32();
                case 4 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MakhopJoined(seat, road, otherRoad, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (road != 0) output.uint32(2, road);
        if (otherRoad != 0) output.uint32(3, otherRoad);
        output.enums(4, cards);
    }
}
