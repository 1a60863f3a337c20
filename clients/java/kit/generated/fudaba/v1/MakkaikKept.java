// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A seat kept a drawn card.
 *
 * @param seat The seat.
 * @param cards The two cards that became public, in deck order. One was drawn and one was in the hand; the event does
 *     not say which.
 */
public record MakkaikKept(int seat, List<KamikisenCard> cards) implements MakkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikKept read(Input input) throws IOException {
        int seat = 0;
        List<KamikisenCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MakkaikKept(seat, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, cards);
    }
}
