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
 * @param rank The rank of the best meld that it makes with the shared cards.
 * @param cards The cards of that meld, in deck order.
 * @param strength The strength of its strongest card; a ship has that of the card that it stands for.
 */
public record NamtoShownHand(int seat, List<KamikisenCard> hand, NamtoRank rank, List<KamikisenCard> cards,
        KamikisenStrength strength) implements Writable {
    /** Reads one, to its end. */
    public static NamtoShownHand read(Input input) throws IOException {
        int seat = 0;
        List<KamikisenCard> hand = new ArrayList<>();
        NamtoRank rank = NamtoRank.UNSPECIFIED;
        List<KamikisenCard> cards = new ArrayList<>();
        KamikisenStrength strength = KamikisenStrength.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) hand.add(KamikisenCard.of(input.int32())); }
                case 3 -> rank = NamtoRank.of(input.int32());
                case 4 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                case 5 -> strength = KamikisenStrength.of(input.int32());
                default -> input.skip();
            }
        }
        return new NamtoShownHand(seat, List.copyOf(hand), rank, List.copyOf(cards), strength);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.enums(2, hand);
        if (rank.number() != 0) output.int32(3, rank.number());
        output.enums(4, cards);
        if (strength.number() != 0) output.int32(5, strength.number());
    }
}
