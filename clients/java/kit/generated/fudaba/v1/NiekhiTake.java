// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes cards from the discard pile into the hand. Not where the pile is empty.
 *
 * @param cards As many as generals were laid, or all if the pile has fewer; in any order.
 */
public record NiekhiTake(List<KamikisenStrength> cards) implements NiekhiMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NiekhiTake read(Input input) throws IOException {
        List<KamikisenStrength> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);)
                        cards.add(KamikisenStrength.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NiekhiTake(List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
    }
}
