// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The auction is over, and a seat is Napoleon.
 *
 * @param seat Napoleon.
 * @param number How many honours were bid.
 * @param trump The trump, or no-trump.
 */
public record NapoleonStood(int seat, int number, NapoleonSuit trump) implements NapoleonEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonStood read(Input input) throws IOException {
        int seat = 0;
        int number = 0;
        NapoleonSuit trump = NapoleonSuit.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> number = input.uint32();
                case 3 -> trump = NapoleonSuit.of(input.int32());
                default -> input.skip();
            }
        }
        return new NapoleonStood(seat, number, trump);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (number != 0) output.uint32(2, number);
        if (trump.number() != 0) output.int32(3, trump.number());
    }
}
