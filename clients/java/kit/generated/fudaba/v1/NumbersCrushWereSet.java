// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Cards were set.
 *
 * @param seat The seat.
 * @param cards The cards, from the bottom to the top.
 * @param faces What each of them stands for, in the same order; never empty.
 * @param suit The suit that a 9 named; absent if none did.
 */
public record NumbersCrushWereSet(int seat, List<NumbersCrushCard> cards, List<NumbersCrushCard> faces,
        NumbersCrushSuit suit) implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushWereSet read(Input input) throws IOException {
        int seat = 0;
        List<NumbersCrushCard> cards = new ArrayList<>();
        List<NumbersCrushCard> faces = new ArrayList<>();
        NumbersCrushSuit suit = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);)
                        cards.add(NumbersCrushCard.of(input.int32())); }
                case 3 -> { for (int end = input.pack(); input.more(end);)
                        faces.add(NumbersCrushCard.of(input.int32())); }
                case 4 -> suit = NumbersCrushSuit.of(input.int32());
                default -> input.skip();
            }
        }
        return new NumbersCrushWereSet(seat, List.copyOf(cards), List.copyOf(faces), suit);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, cards);
        output.enums(3, faces);
        if (suit != null) output.int32(4, suit.number());
    }
}
