// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a match.
 *
 * @param scores The score of each seat. They add up to zero.
 * @param placements The placement of each seat: 1 for the best score; equal scores share a placement.
 */
public record Outcome(List<Integer> scores, List<Integer> placements) implements Writable {
    /** Reads one, to its end. */
    public static Outcome read(Input input) throws IOException {
        List<Integer> scores = new ArrayList<>();
        List<Integer> placements = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                case 2 -> { for (int end = input.pack(); input.more(end);) placements.add(input.uint32()); }
                default -> input.skip();
            }
        }
        return new Outcome(List.copyOf(scores), List.copyOf(placements));
    }

    @Override
    public void write(Output output) throws IOException {
        output.sint32s(1, scores);
        output.uint32s(2, placements);
    }
}
