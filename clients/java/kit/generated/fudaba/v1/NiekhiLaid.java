// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A meld that a seat laid.
 *
 * @param seat The seat.
 * @param cards The cards, weakest first, so that ships come first.
 * @param length How many different strengths they count as: 1 for a single or a set; as many as there are cards for a
 *     run; otherwise it is a run of sets.
 * @param strength The highest strength that they count as.
 */
public record NiekhiLaid(int seat, List<KamikisenStrength> cards, int length, KamikisenStrength strength)
        implements NiekhiEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NiekhiLaid read(Input input) throws IOException {
        int seat = 0;
        List<KamikisenStrength> cards = new ArrayList<>();
        int length = 0;
        KamikisenStrength strength = KamikisenStrength.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);)
                        cards.add(KamikisenStrength.of(input.int32())); }
                case 3 -> length = input.uint32();
                case 4 -> strength = KamikisenStrength.of(input.int32());
                default -> input.skip();
            }
        }
        return new NiekhiLaid(seat, List.copyOf(cards), length, strength);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, cards);
        if (length != 0) output.uint32(3, length);
        if (strength.number() != 0) output.int32(4, strength.number());
    }
}
