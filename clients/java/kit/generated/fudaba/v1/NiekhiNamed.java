// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A seat named strengths.
 *
 * @param seat The seat.
 * @param strengths The strengths, weakest first.
 * @param cards The cards that left hands and discard pile, weakest first.
 * @param lost How many of them each seat had in hand, one entry per seat.
 */
public record NiekhiNamed(int seat, List<KamikisenStrength> strengths, List<KamikisenStrength> cards,
        List<Integer> lost) implements NiekhiEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NiekhiNamed read(Input input) throws IOException {
        int seat = 0;
        List<KamikisenStrength> strengths = new ArrayList<>();
        List<KamikisenStrength> cards = new ArrayList<>();
        List<Integer> lost = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);)
                        strengths.add(KamikisenStrength.of(input.int32())); }
                case 3 -> { for (int end = input.pack(); input.more(end);)
                        cards.add(KamikisenStrength.of(input.int32())); }
                case 4 -> { for (int end = input.pack(); input.more(end);) lost.add(input.uint32()); }
                default -> input.skip();
            }
        }
        return new NiekhiNamed(seat, List.copyOf(strengths), List.copyOf(cards), List.copyOf(lost));
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, strengths);
        output.enums(3, cards);
        output.uint32s(4, lost);
    }
}
