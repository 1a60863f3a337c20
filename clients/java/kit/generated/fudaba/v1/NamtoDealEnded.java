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
 * @param winners The seat that takes the pot, or the seats that split it.
 * @param pot The pot.
 * @param scores The scores of this deal, one entry per seat.
 */
public record NamtoDealEnded(List<Integer> winners, int pot, List<Integer> scores) implements NamtoEvent.Kind, Writable
        {
    /** Reads one, to its end. */
    public static NamtoDealEnded read(Input input) throws IOException {
        List<Integer> winners = new ArrayList<>();
        int pot = 0;
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) winners.add(input.uint32()); }
                case 2 -> pot = input.uint32();
                case 3 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NamtoDealEnded(List.copyOf(winners), pot, List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        output.uint32s(1, winners);
        if (pot != 0) output.uint32(2, pot);
        output.sint32s(3, scores);
    }
}
