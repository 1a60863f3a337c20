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
 * @param winner The winner; absent when the stock ran out.
 * @param scores The scores of this deal, one entry per seat, calls and sets of four included.
 */
public record TashotDealEnded(Integer winner, List<Integer> scores) implements TashotEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static TashotDealEnded read(Input input) throws IOException {
        Integer winner = null;
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> winner = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new TashotDealEnded(winner, List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (winner != null) output.uint32(1, winner);
        output.sint32s(2, scores);
    }
}
