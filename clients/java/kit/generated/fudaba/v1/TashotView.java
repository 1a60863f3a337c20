// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Tashot match: the deal in progress, and the scores.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals. It draws first.
 * @param multiplier The factor of the points for finishing where the dealer pays or receives them.
 * @param phase The next thing to do.
 * @param turn The seat whose turn it is; in a window the seat that has discarded. Absent when the match is over.
 * @param unfinished The seats that have neither finished their first turn nor been skipped by a call. While there are
 *     any, a win is one in the first round.
 * @param stock How many cards the stock has left.
 * @param offered In a window: the card that was discarded.
 * @param hand This seat's hand in deck order, with the card drawn; empty for a spectator.
 * @param drawn On this seat's turn: the card just drawn. Absent after a call, and after a set of four that left no such
 *     card.
 * @param handSizes How many cards each seat has in hand, one entry per seat. Open melds are not counted.
 * @param melds The melds that lie open, in the order of the seats; a seat has one at most.
 * @param discardCounts How many of its discards nobody has taken, one entry per seat.
 * @param discards These cards, seat by seat, each seat's in deck order.
 * @param lights The cards that were turned up as lights in this deal, in order.
 * @param scores The score so far, one entry per seat; what was paid in this deal for calls and sets of four is in it.
 * @param paid The part of it that was paid in this deal, one entry per seat.
 * @param winner When the match is over: the seat that won the last deal. Absent where nobody did.
 * @param wonWith The six cards of that win, in deck order.
 */
public record TashotView(int deal, int dealer, int multiplier, TashotPhase phase, Integer turn,
        List<Integer> unfinished, int stock, KamikisenCard offered, List<KamikisenCard> hand, KamikisenCard drawn,
        List<Integer> handSizes, List<TashotOpenMeld> melds, List<Integer> discardCounts, List<KamikisenCard> discards,
        List<KamikisenCard> lights, List<Integer> scores, List<Integer> paid, Integer winner,
        List<KamikisenCard> wonWith) implements View.Game, Writable {
    /** Reads one, to its end. */
    public static TashotView read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int multiplier = 0;
        TashotPhase phase = TashotPhase.UNSPECIFIED;
        Integer turn = null;
        List<Integer> unfinished = new ArrayList<>();
        int stock = 0;
        KamikisenCard offered = null;
        List<KamikisenCard> hand = new ArrayList<>();
        KamikisenCard drawn = null;
        List<Integer> handSizes = new ArrayList<>();
        List<TashotOpenMeld> melds = new ArrayList<>();
        List<Integer> discardCounts = new ArrayList<>();
        List<KamikisenCard> discards = new ArrayList<>();
        List<KamikisenCard> lights = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        List<Integer> paid = new ArrayList<>();
        Integer winner = null;
        List<KamikisenCard> wonWith = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> multiplier = input.uint32();
                case 4 -> phase = TashotPhase.of(input.int32());
                case 5 -> turn = input.uint32();
                case 6 -> { for (int end = input.pack(); input.more(end);) unfinished.add(input.uint32()); }
                case 7 -> stock = input.uint32();
                case 8 -> offered = KamikisenCard.of(input.int32());
                case 9 -> { for (int end = input.pack(); input.more(end);) hand.add(KamikisenCard.of(input.int32())); }
                case 10 -> drawn = KamikisenCard.of(input.int32());
                case 11 -> { for (int end = input.pack(); input.more(end);) handSizes.add(input.uint32()); }
                case 12 -> { int end = input.enter(); melds.add(TashotOpenMeld.read(input)); input.leave(end); }
                case 13 -> { for (int end = input.pack(); input.more(end);) discardCounts.add(input.uint32()); }
                case 14 -> { for (int end = input.pack(); input.more(end);)
                        discards.add(KamikisenCard.of(input.int32())); }
                case 15 -> { for (int end = input.pack(); input.more(end);) lights.add(KamikisenCard.of(input.int32()));
                        }
                case 16 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                case 17 -> { for (int end = input.pack(); input.more(end);) paid.add(input.sint32()); }
                case 18 -> winner = input.uint32();
                case 19 -> { for (int end = input.pack(); input.more(end);)
                        wonWith.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new TashotView(deal, dealer, multiplier, phase, turn, List.copyOf(unfinished), stock, offered,
                List.copyOf(hand), drawn, List.copyOf(handSizes), List.copyOf(melds), List.copyOf(discardCounts),
                List.copyOf(discards), List.copyOf(lights), List.copyOf(scores), List.copyOf(paid), winner,
                List.copyOf(wonWith));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (multiplier != 0) output.uint32(3, multiplier);
        if (phase.number() != 0) output.int32(4, phase.number());
        if (turn != null) output.uint32(5, turn);
        output.uint32s(6, unfinished);
        if (stock != 0) output.uint32(7, stock);
        if (offered != null) output.int32(8, offered.number());
        output.enums(9, hand);
        if (drawn != null) output.int32(10, drawn.number());
        output.uint32s(11, handSizes);
        output.messages(12, melds);
        output.uint32s(13, discardCounts);
        output.enums(14, discards);
        output.enums(15, lights);
        output.sint32s(16, scores);
        output.sint32s(17, paid);
        if (winner != null) output.uint32(18, winner);
        output.enums(19, wonWith);
    }
}
