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
 * @param winner The winner of the last round.
 * @param publicCounts How many public cards each seat has, one entry per seat.
 * @param scores The scores of this deal, one entry per seat.
 */
public record MokkaikDealEnded(int winner, List<Integer> publicCounts, List<Integer> scores)
        implements MokkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MokkaikDealEnded read(Input input) throws IOException {
        int winner = 0;
        List<Integer> publicCounts = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> winner = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) publicCounts.add(input.uint32()); }
                case 3 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new MokkaikDealEnded(winner, List.copyOf(publicCounts), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (winner != 0) output.uint32(1, winner);
        output.uint32s(2, publicCounts);
        output.sint32s(3, scores);
    }
}
