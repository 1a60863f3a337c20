// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A deal ended.
 *
 * @param winners The winners: several if, at a limit, several seats have the fewest cards.
 * @param handSizes How many cards each seat had left, one entry per seat.
 * @param scores The scores of this deal, one entry per seat.
 */
public record MakhopDealEnded(List<Integer> winners, List<Integer> handSizes, List<Integer> scores)
        implements MakhopEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopDealEnded read(Input input) throws IOException {
        List<Integer> winners = new ArrayList<>();
        List<Integer> handSizes = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) winners.add(input.uint32()); }
                case 2 -> { for (int end = input.pack(); input.more(end);) handSizes.add(input.uint32()); }
                case 3 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new MakhopDealEnded(List.copyOf(winners), List.copyOf(handSizes), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        output.uint32s(1, winners);
        output.uint32s(2, handSizes);
        output.sint32s(3, scores);
    }
}
