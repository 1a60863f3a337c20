// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Mokkaik match: the deal in progress, and the scores.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals. It leads to the first round.
 * @param multiplier The factor of every payment that the dealer makes or receives.
 * @param round The number of the round, from 0.
 * @param turn The seat whose decision is open; absent when the match is over.
 * @param leader The seat that leads, or has led, to the round. When the match is over: the winner of the last round.
 * @param form The form of the leader's meld; unspecified while nothing is laid.
 * @param size How many cards it has; 0 while nothing is laid.
 * @param reds How many of them are red. The others are black.
 * @param strength The strength of the best meld so far; unspecified while nothing is laid.
 * @param laidBy The seats that have laid a meld in this round, in order; the last one has the best. The other seats
 *     from the leader up to the turn have discarded.
 * @param laid The cards of these melds, {@code size} of each, in order; each meld in deck order.
 * @param hand This seat's hand in deck order; empty for a spectator.
 * @param discarded The cards that the seat itself has discarded in this deal, in deck order.
 * @param handSizes How many cards each seat has in hand, one entry per seat.
 * @param discardCounts How many cards each seat has discarded in this deal, one entry per seat.
 * @param publicCounts How many public cards each seat has, one entry per seat: the cards of the rounds that it has won.
 * @param publicCards The public cards, seat by seat, each seat's in deck order.
 * @param beaten The cards that were laid in earlier rounds and lost, in deck order.
 * @param scores The scores so far, one entry per seat; complete deals only.
 */
public record MokkaikView(int deal, int dealer, int multiplier, int round, Integer turn, int leader, KamikisenForm form,
        int size, int reds, KamikisenStrength strength, List<Integer> laidBy, List<KamikisenCard> laid,
        List<KamikisenCard> hand, List<KamikisenCard> discarded, List<Integer> handSizes, List<Integer> discardCounts,
        List<Integer> publicCounts, List<KamikisenCard> publicCards, List<KamikisenCard> beaten, List<Integer> scores)
        implements View.Game, Writable {
    /** Reads one, to its end. */
    public static MokkaikView read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int multiplier = 0;
        int round = 0;
        Integer turn = null;
        int leader = 0;
        KamikisenForm form = KamikisenForm.UNSPECIFIED;
        int size = 0;
        int reds = 0;
        KamikisenStrength strength = KamikisenStrength.UNSPECIFIED;
        List<Integer> laidBy = new ArrayList<>();
        List<KamikisenCard> laid = new ArrayList<>();
        List<KamikisenCard> hand = new ArrayList<>();
        List<KamikisenCard> discarded = new ArrayList<>();
        List<Integer> handSizes = new ArrayList<>();
        List<Integer> discardCounts = new ArrayList<>();
        List<Integer> publicCounts = new ArrayList<>();
        List<KamikisenCard> publicCards = new ArrayList<>();
        List<KamikisenCard> beaten = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> multiplier = input.uint32();
                case 4 -> round = input.uint32();
                case 5 -> turn = input.uint32();
                case 6 -> leader = input.uint32();
                case 7 -> form = KamikisenForm.of(input.int32());
                case 8 -> size = input.uint32();
                case 9 -> reds = input.uint32();
                case 10 -> strength = KamikisenStrength.of(input.int32());
                case 11 -> { for (int end = input.pack(); input.more(end);) laidBy.add(input.uint32()); }
                case 12 -> { for (int end = input.pack(); input.more(end);) laid.add(KamikisenCard.of(input.int32())); }
                case 13 -> { for (int end = input.pack(); input.more(end);) hand.add(KamikisenCard.of(input.int32())); }
                case 14 -> { for (int end = input.pack(); input.more(end);)
                        discarded.add(KamikisenCard.of(input.int32())); }
                case 15 -> { for (int end = input.pack(); input.more(end);) handSizes.add(input.uint32()); }
                case 16 -> { for (int end = input.pack(); input.more(end);) discardCounts.add(input.uint32()); }
                case 17 -> { for (int end = input.pack(); input.more(end);) publicCounts.add(input.uint32()); }
                case 18 -> { for (int end = input.pack(); input.more(end);)
                        publicCards.add(KamikisenCard.of(input.int32())); }
                case 19 -> { for (int end = input.pack(); input.more(end);) beaten.add(KamikisenCard.of(input.int32()));
                        }
                case 20 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new MokkaikView(deal, dealer, multiplier, round, turn, leader, form, size, reds, strength,
                List.copyOf(laidBy), List.copyOf(laid), List.copyOf(hand), List.copyOf(discarded),
                List.copyOf(handSizes), List.copyOf(discardCounts), List.copyOf(publicCounts), List.copyOf(publicCards),
                List.copyOf(beaten), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (multiplier != 0) output.uint32(3, multiplier);
        if (round != 0) output.uint32(4, round);
        if (turn != null) output.uint32(5, turn);
        if (leader != 0) output.uint32(6, leader);
        if (form.number() != 0) output.int32(7, form.number());
        if (size != 0) output.uint32(8, size);
        if (reds != 0) output.uint32(9, reds);
        if (strength.number() != 0) output.int32(10, strength.number());
        output.uint32s(11, laidBy);
        output.enums(12, laid);
        output.enums(13, hand);
        output.enums(14, discarded);
        output.uint32s(15, handSizes);
        output.uint32s(16, discardCounts);
        output.uint32s(17, publicCounts);
        output.enums(18, publicCards);
        output.enums(19, beaten);
        output.sint32s(20, scores);
    }
}
