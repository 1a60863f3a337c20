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
 * @param dealer The seat that deals.
 * @param publicCards The first three public cards, in deck order.
 */
public record MakkaikDealt(int deal, int dealer, List<KamikisenCard> publicCards) implements MakkaikEvent.Kind, Writable
        {
    /** Reads one, to its end. */
    public static MakkaikDealt read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        List<KamikisenCard> publicCards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> { for (int end = input.pack(); input.more(end);)
                        publicCards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MakkaikDealt(deal, dealer, List.copyOf(publicCards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        output.enums(3, publicCards);
    }
}
