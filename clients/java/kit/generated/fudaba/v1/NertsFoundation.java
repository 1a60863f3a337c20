// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A foundation.
 *
 * @param suit Its suit: 0 clubs, 1 diamonds, 2 hearts, 3 spades.
 * @param owners From the ace up: a bit mask of the seats that have this card here, bit s for seat s. Several where they
 *     played it in one tick. 13 entries: it is complete and set aside.
 */
public record NertsFoundation(int suit, List<Integer> owners) implements Writable {
    /** Reads one, to its end. */
    public static NertsFoundation read(Input input) throws IOException {
        int suit = 0;
        List<Integer> owners = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> suit = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) owners.add(input.uint32()); }
                default -> input.skip();
            }
        }
        return new NertsFoundation(suit, List.copyOf(owners));
    }

    @Override
    public void write(Output output) throws IOException {
        if (suit != 0) output.uint32(1, suit);
        output.uint32s(2, owners);
    }
}
