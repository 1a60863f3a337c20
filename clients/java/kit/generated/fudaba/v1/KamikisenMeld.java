// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Cards, and what they count as.
 *
 * @param cards In deck order. In a move any order will do.
 * @param form The form. The service always sends it; in a move it may be left out where the cards can be only one
 *     thing.
 * @param strength The strength of a single or set; the strength of a run's highest card. It may be left out like the
 *     form.
 */
public record KamikisenMeld(List<KamikisenCard> cards, KamikisenForm form, KamikisenStrength strength)
        implements Writable {
    /** Reads one, to its end. */
    public static KamikisenMeld read(Input input) throws IOException {
        List<KamikisenCard> cards = new ArrayList<>();
        KamikisenForm form = null;
        KamikisenStrength strength = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                case 2 -> form = KamikisenForm.of(input.int32());
                case 3 -> strength = KamikisenStrength.of(input.int32());
                default -> input.skip();
            }
        }
        return new KamikisenMeld(List.copyOf(cards), form, strength);
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
        if (form != null) output.int32(2, form.number());
        if (strength != null) output.int32(3, strength.number());
    }
}
