// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Lays a meld.
 *
 * @param meld Cards of the hand. Form and strength may be left out where the cards can be only one thing. They can be
 *     several where a ship is alone (any strength; if left out, ship, the weakest), or at the end of a run.
 */
public record MokkaikLay(KamikisenMeld meld) implements MokkaikMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MokkaikLay read(Input input) throws IOException {
        KamikisenMeld meld = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); meld = KamikisenMeld.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MokkaikLay(meld);
    }

    @Override
    public void write(Output output) throws IOException {
        output.message(1, meld);
    }
}
