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
 * @param table The table, nine entries as in NagaView.
 */
public record NagaDealt(int deal, int dealer, List<NagaCard> table) implements NagaEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NagaDealt read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        List<NagaCard> table = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> { for (int end = input.pack(); input.more(end);) table.add(NagaCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NagaDealt(deal, dealer, List.copyOf(table));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        output.enums(3, table);
    }
}
