// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A deal began.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals, and draws first.
 * @param multiplier The factor of the dealer's points for finishing.
 * @param light The card that was turned up as a light; absent without lights.
 */
public record TashotDealt(int deal, int dealer, int multiplier, KamikisenCard light) implements TashotEvent.Kind,
        Writable {
    /** Reads one, to its end. */
    public static TashotDealt read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int multiplier = 0;
        KamikisenCard light = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> multiplier = input.uint32();
                case 4 -> light = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new TashotDealt(deal, dealer, multiplier, light);
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (multiplier != 0) output.uint32(3, multiplier);
        if (light != null) output.int32(4, light.number());
    }
}
