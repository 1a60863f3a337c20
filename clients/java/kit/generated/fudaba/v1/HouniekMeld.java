// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Cards, and what they count as. Kinds stand on a circle: soldier, bow, chariot, tiger, horse, brush, shaman, general,
 * king, emperor, ship, and soldier again. {@code none} is not on it: it is wild.
 *
 * @param cards In deck order. In a move any order will do.
 * @param form The form. The service always sends it; in a move it may be left out where the cards can be only one
 *     thing.
 * @param foot The foot (足): a run's first kind on the circle, or the kind of a single or set; never {@code none}. It
 *     may be left out like the form.
 */
public record HouniekMeld(List<KamikisenCard> cards, KamikisenForm form, KamikisenKind foot) implements Writable {
    /** Reads one, to its end. */
    public static HouniekMeld read(Input input) throws IOException {
        List<KamikisenCard> cards = new ArrayList<>();
        KamikisenForm form = null;
        KamikisenKind foot = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                case 2 -> form = KamikisenForm.of(input.int32());
                case 3 -> foot = KamikisenKind.of(input.int32());
                default -> input.skip();
            }
        }
        return new HouniekMeld(List.copyOf(cards), form, foot);
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
        if (form != null) output.int32(2, form.number());
        if (foot != null) output.int32(3, foot.number());
    }
}
