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
 * @param wonCounts The number of table cards that each seat won.
 * @param scores The scores of this deal, one entry per seat.
 */
public record NagaDealEnded(List<Integer> wonCounts, List<Integer> scores) implements NagaEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NagaDealEnded read(Input input) throws IOException {
        List<Integer> wonCounts = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) wonCounts.add(input.uint32()); }
                case 2 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NagaDealEnded(List.copyOf(wonCounts), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        output.uint32s(1, wonCounts);
        output.sint32s(2, scores);
    }
}
