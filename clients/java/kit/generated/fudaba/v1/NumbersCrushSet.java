// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Sets cards on the base.
 *
 * @param cards The cards, from the bottom to the top. The last one is the new base.
 * @param faces What each of the cards stands for, in the same order: see NumbersCrushCard. May be empty when every card
 *     stands for itself.
 * @param suit The suit that a 9 names, where the effect of 9 takes place; absent otherwise.
 */
public record NumbersCrushSet(List<NumbersCrushCard> cards, List<NumbersCrushCard> faces, NumbersCrushSuit suit)
        implements NumbersCrushMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushSet read(Input input) throws IOException {
        List<NumbersCrushCard> cards = new ArrayList<>();
        List<NumbersCrushCard> faces = new ArrayList<>();
        NumbersCrushSuit suit = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);)
                        cards.add(NumbersCrushCard.of(input.int32())); }
                case 2 -> { for (int end = input.pack(); input.more(end);)
                        faces.add(NumbersCrushCard.of(input.int32())); }
                case 3 -> suit = NumbersCrushSuit.of(input.int32());
                default -> input.skip();
            }
        }
        return new NumbersCrushSet(List.copyOf(cards), List.copyOf(faces), suit);
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
        output.enums(2, faces);
        if (suit != null) output.int32(3, suit.number());
    }
}
