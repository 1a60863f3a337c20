// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A hand that was shown.
 *
 * @param seat The seat.
 * @param hand The hand, in deck order.
 * @param meld The best meld that it makes with the public cards, form and strength always set.
 */
public record MakkaikShownHand(int seat, List<KamikisenCard> hand, KamikisenMeld meld) implements Writable {
    /** Reads one, to its end. */
    public static MakkaikShownHand read(Input input) throws IOException {
        int seat = 0;
        List<KamikisenCard> hand = new ArrayList<>();
        KamikisenMeld meld = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) hand.add(KamikisenCard.of(input.int32())); }
                case 3 -> { int end = input.enter(); meld = KamikisenMeld.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MakkaikShownHand(seat, List.copyOf(hand), meld);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, hand);
        output.message(3, meld);
    }
}
