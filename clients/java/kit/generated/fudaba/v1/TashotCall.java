// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Takes the card that was discarded.
 *
 * @param meld The whole meld: cards of the hand and the card that was discarded. A set of three, a run of three, or a
 *     set of four. Form and strength may be left out where the cards can be only one thing; a ship at the end of a run
 *     leaves a choice.
 */
public record TashotCall(KamikisenMeld meld) implements TashotMove.Kind, Writable {
    /** Reads one, to its end. */
    public static TashotCall read(Input input) throws IOException {
        KamikisenMeld meld = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); meld = KamikisenMeld.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new TashotCall(meld);
    }

    @Override
    public void write(Output output) throws IOException {
        output.message(1, meld);
    }
}
