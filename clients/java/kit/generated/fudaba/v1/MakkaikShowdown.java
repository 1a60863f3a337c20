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
public record MakkaikShowdown(List<MakkaikShownHand> hands) implements MakkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikShowdown read(Input input) throws IOException {
        List<MakkaikShownHand> hands = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); hands.add(MakkaikShownHand.read(input)); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MakkaikShowdown(List.copyOf(hands));
    }

    @Override
    public void write(Output output) throws IOException {
        output.messages(1, hands);
    }
}
