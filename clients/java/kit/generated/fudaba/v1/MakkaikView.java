// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Makkaik match: the deal in progress, and the scores.
 *
 * @param deal The number of the deal, from 0.
 * @param opener The seat that began the deal as its dealer. The next seat begins the next deal.
 * @param dealer The dealer now: another seat than the opener once that one has folded.
 * @param phase The next thing to do.
 * @param turn The seat whose decision is open; absent when the match is over.
 * @param round The round of betting, from 0 to 2.
 * @param base The base of the round; 0 while the dealer has not named it.
 * @param paid What each seat has paid into the pot in this deal, one entry per seat.
 * @param staying The seats that are still in, lowest first. Before the betting all of them.
 * @param publicCards The public cards, in deck order.
 * @param exchanges How each seat has exchanged, one entry per seat.
 * @param taken The public card that each seat has taken, and so is known to hold, one entry per seat; unspecified for
 *     none.
 * @param hand This seat's hand in deck order; empty for a spectator.
 * @param drawn The two cards that the seat itself has drawn, while it has to keep one.
 * @param shownBy When the match is over: the seats that have shown their hands at its end.
 * @param shown Their hands, three cards of each, in that order; each hand in deck order.
 * @param scores The scores so far, one entry per seat; complete deals only.
 */
public record MakkaikView(int deal, int opener, int dealer, MakkaikPhase phase, Integer turn, int round, int base,
        List<Integer> paid, List<Integer> staying, List<KamikisenCard> publicCards, List<MakkaikExchange> exchanges,
        List<KamikisenCard> taken, List<KamikisenCard> hand, List<KamikisenCard> drawn, List<Integer> shownBy,
        List<KamikisenCard> shown, List<Integer> scores) implements View.Game, Writable {
    /** Reads one, to its end. */
    public static MakkaikView read(Input input) throws IOException {
        int deal = 0;
        int opener = 0;
        int dealer = 0;
        MakkaikPhase phase = MakkaikPhase.UNSPECIFIED;
        Integer turn = null;
        int round = 0;
        int base = 0;
        List<Integer> paid = new ArrayList<>();
        List<Integer> staying = new ArrayList<>();
        List<KamikisenCard> publicCards = new ArrayList<>();
        List<MakkaikExchange> exchanges = new ArrayList<>();
        List<KamikisenCard> taken = new ArrayList<>();
        List<KamikisenCard> hand = new ArrayList<>();
        List<KamikisenCard> drawn = new ArrayList<>();
        List<Integer> shownBy = new ArrayList<>();
        List<KamikisenCard> shown = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> opener = input.uint32();
                case 3 -> dealer = input.uint32();
                case 4 -> phase = MakkaikPhase.of(input.int32());
                case 5 -> turn = input.uint32();
                case 6 -> round = input.uint32();
                case 7 -> base = input.uint32();
                case 8 -> { for (int end = input.pack(); input.more(end);) paid.add(input.uint32()); }
                case 9 -> { for (int end = input.pack(); input.more(end);) staying.add(input.uint32()); }
                case 10 -> { for (int end = input.pack(); input.more(end);)
                        publicCards.add(KamikisenCard.of(input.int32())); }
                case 11 -> { for (int end = input.pack(); input.more(end);)
                        exchanges.add(MakkaikExchange.of(input.int32())); }
                case 12 -> { for (int end = input.pack(); input.more(end);) taken.add(KamikisenCard.of(input.int32()));
                        }
                case 13 -> { for (int end = input.pack(); input.more(end);) hand.add(KamikisenCard.of(input.int32())); }
                case 14 -> { for (int end = input.pack(); input.more(end);) drawn.add(KamikisenCard.of(input.int32()));
                        }
                case 15 -> { for (int end = input.pack(); input.more(end);) shownBy.add(input.uint32()); }
                case 16 -> { for (int end = input.pack(); input.more(end);) shown.add(KamikisenCard.of(input.int32()));
                        }
                case 17 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new MakkaikView(deal, opener, dealer, phase, turn, round, base, List.copyOf(paid), List.copyOf(staying),
                List.copyOf(publicCards), List.copyOf(exchanges), List.copyOf(taken), List.copyOf(hand),
                List.copyOf(drawn), List.copyOf(shownBy), List.copyOf(shown), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (opener != 0) output.uint32(2, opener);
        if (dealer != 0) output.uint32(3, dealer);
        if (phase.number() != 0) output.int32(4, phase.number());
        if (turn != null) output.uint32(5, turn);
        if (round != 0) output.uint32(6, round);
        if (base != 0) output.uint32(7, base);
        output.uint32s(8, paid);
        output.uint32s(9, staying);
        output.enums(10, publicCards);
        output.enums(11, exchanges);
        output.enums(12, taken);
        output.enums(13, hand);
        output.enums(14, drawn);
        output.uint32s(15, shownBy);
        output.enums(16, shown);
        output.sint32s(17, scores);
    }
}
