// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts cards aside, face down.
 *
 * @param cards Cards of the hand, as many as the leader's meld has.
 */
public record MokkaikDiscard(List<KamikisenCard> cards) implements MokkaikMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MokkaikDiscard read(Input input) throws IOException {
        List<KamikisenCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MokkaikDiscard(List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
    }
}
