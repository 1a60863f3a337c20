// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The hands that were compared.
 *
 * @param hands The hands of the seats that were still in, by seat.
 */
public record NamtoShowdown(List<NamtoShownHand> hands) implements NamtoEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NamtoShowdown read(Input input) throws IOException {
        List<NamtoShownHand> hands = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); hands.add(NamtoShownHand.read(input)); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NamtoShowdown(List.copyOf(hands));
    }

    @Override
    public void write(Output output) throws IOException {
        output.messages(1, hands);
    }
}
