// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A deal began.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals, and bets first.
 * @param playing The seats that play, lowest first. They have paid the entry.
 * @param pot What is in the pot.
 */
public record NamtoDealt(int deal, int dealer, List<Integer> playing, int pot) implements NamtoEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NamtoDealt read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        List<Integer> playing = new ArrayList<>();
        int pot = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> { for (int end = input.pack(); input.more(end);) playing.add(input.uint32()); }
                case 4 -> pot = input.uint32();
                default -> input.skip();
            }
        }
        return new NamtoDealt(deal, dealer, List.copyOf(playing), pot);
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        output.uint32s(3, playing);
        if (pot != 0) output.uint32(4, pot);
    }
}
