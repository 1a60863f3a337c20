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
 * @param winners The winner; several only when the turns ran out and they had equally few cards.
 * @param victory How it was won.
 * @param scores The scores of this deal, one entry per seat.
 */
public record NumbersCrushDealEnded(List<Integer> winners, NumbersCrushVictory victory, List<Integer> scores)
        implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushDealEnded read(Input input) throws IOException {
        List<Integer> winners = new ArrayList<>();
        NumbersCrushVictory victory = NumbersCrushVictory.UNSPECIFIED;
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) winners.add(input.uint32()); }
                case 2 -> victory = NumbersCrushVictory.of(input.int32());
                case 3 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NumbersCrushDealEnded(List.copyOf(winners), victory, List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        output.uint32s(1, winners);
        if (victory.number() != 0) output.int32(2, victory.number());
        output.sint32s(3, scores);
    }
}
