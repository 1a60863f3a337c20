// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Lays a meld: to lead any, else one with a colour of the newest meld that is the same form and size with a foot that
 * beats the newest meld's, or has more cards and the same foot.
 *
 * @param meld Cards of the hand. Form and foot may be left out where the cards can be only one thing.
 */
public record HouniekLay(HouniekMeld meld) implements HouniekMove.Kind, Writable {
    /** Reads one, to its end. */
    public static HouniekLay read(Input input) throws IOException {
        HouniekMeld meld = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); meld = HouniekMeld.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new HouniekLay(meld);
    }

    @Override
    public void write(Output output) throws IOException {
        output.message(1, meld);
    }
}
