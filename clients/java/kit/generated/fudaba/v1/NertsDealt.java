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
 * @param nertsTops The top card of each seat's Nerts pile.
 * @param workCards The one card of each work pile: four of seat 0, four of seat 1, and so on.
 */
public record NertsDealt(int deal, List<NertsCard> nertsTops, List<NertsCard> workCards) implements NertsEvent.Kind,
        Writable {
    /** Reads one, to its end. */
    public static NertsDealt read(Input input) throws IOException {
        int deal = 0;
        List<NertsCard> nertsTops = new ArrayList<>();
        List<NertsCard> workCards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) nertsTops.add(NertsCard.of(input.int32())); }
                case 3 -> { for (int end = input.pack(); input.more(end);) workCards.add(NertsCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NertsDealt(deal, List.copyOf(nertsTops), List.copyOf(workCards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        output.enums(2, nertsTops);
        output.enums(3, workCards);
    }
}
