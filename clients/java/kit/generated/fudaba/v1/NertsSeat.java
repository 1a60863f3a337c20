// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What everybody sees of one seat's cards.
 *
 * @param nertsSize How many cards its Nerts pile has.
 * @param nertsTop The top one; absent when there is none.
 * @param stockSize How many cards its stock has.
 * @param wasteSize How many cards its waste has.
 * @param wasteTop The top one; absent when there is none.
 * @param workPiles Its four work piles.
 * @param founded How many of its cards are on the foundations.
 */
public record NertsSeat(int nertsSize, NertsCard nertsTop, int stockSize, int wasteSize, NertsCard wasteTop,
        List<NertsWorkPile> workPiles, int founded) implements Writable {
    /** Reads one, to its end. */
    public static NertsSeat read(Input input) throws IOException {
        int nertsSize = 0;
        NertsCard nertsTop = NertsCard.NERTS_CARD_UNSPECIFIED;
        int stockSize = 0;
        int wasteSize = 0;
        NertsCard wasteTop = NertsCard.NERTS_CARD_UNSPECIFIED;
        List<NertsWorkPile> workPiles = new ArrayList<>();
        int founded = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> nertsSize = input.uint32();
                case 2 -> nertsTop = NertsCard.of(input.int32());
                case 3 -> stockSize = input.uint32();
                case 4 -> wasteSize = input.uint32();
                case 5 -> wasteTop = NertsCard.of(input.int32());
                case 6 -> { int end = input.enter(); workPiles.add(NertsWorkPile.read(input)); input.leave(end); }
                case 7 -> founded = input.uint32();
                default -> input.skip();
            }
        }
        return new NertsSeat(nertsSize, nertsTop, stockSize, wasteSize, wasteTop, List.copyOf(workPiles), founded);
    }

    @Override
    public void write(Output output) throws IOException {
        if (nertsSize != 0) output.uint32(1, nertsSize);
        if (nertsTop.number() != 0) output.int32(2, nertsTop.number());
        if (stockSize != 0) output.uint32(3, stockSize);
        if (wasteSize != 0) output.uint32(4, wasteSize);
        if (wasteTop.number() != 0) output.int32(5, wasteTop.number());
        output.messages(6, workPiles);
        if (founded != 0) output.uint32(7, founded);
    }
}
