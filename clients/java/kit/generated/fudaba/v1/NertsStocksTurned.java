// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Nobody moved, or nobody made progress: every seat made its stock whole again and put its top card to the bottom.
 *
 * @param stockTurns How many such turns there have been in a row, including this one.
 */
public record NertsStocksTurned(int stockTurns) implements NertsEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsStocksTurned read(Input input) throws IOException {
        int stockTurns = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> stockTurns = input.uint32();
                default -> input.skip();
            }
        }
        return new NertsStocksTurned(stockTurns);
    }

    @Override
    public void write(Output output) throws IOException {
        if (stockTurns != 0) output.uint32(1, stockTurns);
    }
}
