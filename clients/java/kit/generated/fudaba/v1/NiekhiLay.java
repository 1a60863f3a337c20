// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lays a meld: a single, a set (友), a run (連), or a run of sets.
 *
 * @param cards Cards of the hand, in any order. A ship stands for any card.
 * @param length How many different strengths the cards count as: 1 for a single or a set, 3 or more for a run, 2 or
 *     more for a run of sets, which are equally large. It may be left out (0), together with the strength, where the
 *     cards can be only one thing. A ship alone is a ship then, the weakest.
 * @param strength The highest strength that the cards count as.
 */
public record NiekhiLay(List<KamikisenStrength> cards, int length, KamikisenStrength strength)
        implements NiekhiMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NiekhiLay read(Input input) throws IOException {
        List<KamikisenStrength> cards = new ArrayList<>();
        int length = 0;
        KamikisenStrength strength = KamikisenStrength.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);)
                        cards.add(KamikisenStrength.of(input.int32())); }
                case 2 -> length = input.uint32();
                case 3 -> strength = KamikisenStrength.of(input.int32());
                default -> input.skip();
            }
        }
        return new NiekhiLay(List.copyOf(cards), length, strength);
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
        if (length != 0) output.uint32(2, length);
        if (strength.number() != 0) output.int32(3, strength.number());
    }
}
