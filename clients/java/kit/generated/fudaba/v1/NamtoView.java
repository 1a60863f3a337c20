// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Namto match: the deal in progress, and the stacks.
 *
 * @param deal The number of the deal, from 0.
 * @param opener The seat that began the deal as its dealer. The next seat that can pay the entry begins the next deal.
 * @param dealer The dealer now: another seat than the opener once that one has folded.
 * @param phase The next thing to do.
 * @param turn The seat whose decision is open; absent when the match is over.
 * @param round The round of betting, from 0.
 * @param minBet The smallest bet: as much as was bet last in this round, or 1.
 * @param maxBet The largest bet in this round: the smallest stack of those who were still in when it began.
 * @param bets What each seat has paid in this round, one entry per seat.
 * @param paid What each seat has paid into the pot in this deal, the entry included, one entry per seat.
 * @param stacks What each seat has left, one entry per seat.
 * @param playing The seats that play this deal, lowest first. The others could not pay the entry.
 * @param staying The seats that are still in, lowest first.
 * @param shared The shared cards that are open, in the order in which they were opened.
 * @param hand This seat's hand in deck order; empty for a spectator, and for a seat that sits out.
 * @param shownBy When the match is over: the seats that have shown their hands at its end.
 * @param shown Their hands, two cards of each, in that order; each hand in deck order.
 * @param scores What each seat had won when the deal began, one entry per seat; when the match is over, in all.
 * @param rounds How many rounds of betting the deal has. After each but the last one a shared card is opened.
 */
public record NamtoView(int deal, int opener, int dealer, NamtoPhase phase, Integer turn, int round, int minBet,
        int maxBet, List<Integer> bets, List<Integer> paid, List<Integer> stacks, List<Integer> playing,
        List<Integer> staying, List<KamikisenCard> shared, List<KamikisenCard> hand, List<Integer> shownBy,
        List<KamikisenCard> shown, List<Integer> scores, int rounds) implements View.Game, Writable {
    /** Reads one, to its end. */
    public static NamtoView read(Input input) throws IOException {
        int deal = 0;
        int opener = 0;
        int dealer = 0;
        NamtoPhase phase = NamtoPhase.UNSPECIFIED;
        Integer turn = null;
        int round = 0;
        int minBet = 0;
        int maxBet = 0;
        List<Integer> bets = new ArrayList<>();
        List<Integer> paid = new ArrayList<>();
        List<Integer> stacks = new ArrayList<>();
        List<Integer> playing = new ArrayList<>();
        List<Integer> staying = new ArrayList<>();
        List<KamikisenCard> shared = new ArrayList<>();
        List<KamikisenCard> hand = new ArrayList<>();
        List<Integer> shownBy = new ArrayList<>();
        List<KamikisenCard> shown = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        int rounds = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> opener = input.uint32();
                case 3 -> dealer = input.uint32();
                case 4 -> phase = NamtoPhase.of(input.int32());
                case 5 -> turn = input.uint32();
                case 6 -> round = input.uint32();
                case 7 -> minBet = input.uint32();
                case 8 -> maxBet = input.uint32();
                case 9 -> { for (int end = input.pack(); input.more(end);) bets.add(input.uint32()); }
                case 10 -> { for (int end = input.pack(); input.more(end);) paid.add(input.uint32()); }
                case 11 -> { for (int end = input.pack(); input.more(end);) stacks.add(input.uint32()); }
                case 12 -> { for (int end = input.pack(); input.more(end);) playing.add(input.uint32()); }
                case 13 -> { for (int end = input.pack(); input.more(end);) staying.add(input.uint32()); }
                case 14 -> { for (int end = input.pack(); input.more(end);) shared.add(KamikisenCard.of(input.int32()));
                        }
                case 15 -> { for (int end = input.pack(); input.more(end);) hand.add(KamikisenCard.of(input.int32())); }
                case 16 -> { for (int end = input.pack(); input.more(end);) shownBy.add(input.uint32()); }
                case 17 -> { for (int end = input.pack(); input.more(end);) shown.add(KamikisenCard.of(input.int32()));
                        }
                case 18 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                case 19 -> rounds = input.uint32();
                default -> input.skip();
            }
        }
        return new NamtoView(deal, opener, dealer, phase, turn, round, minBet, maxBet, List.copyOf(bets),
                List.copyOf(paid), List.copyOf(stacks), List.copyOf(playing), List.copyOf(staying), List.copyOf(shared),
                List.copyOf(hand), List.copyOf(shownBy), List.copyOf(shown), List.copyOf(scores), rounds);
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (opener != 0) output.uint32(2, opener);
        if (dealer != 0) output.uint32(3, dealer);
        if (phase.number() != 0) output.int32(4, phase.number());
        if (turn != null) output.uint32(5, turn);
        if (round != 0) output.uint32(6, round);
        if (minBet != 0) output.uint32(7, minBet);
        if (maxBet != 0) output.uint32(8, maxBet);
        output.uint32s(9, bets);
        output.uint32s(10, paid);
        output.uint32s(11, stacks);
        output.uint32s(12, playing);
        output.uint32s(13, staying);
        output.enums(14, shared);
        output.enums(15, hand);
        output.uint32s(16, shownBy);
        output.enums(17, shown);
        output.sint32s(18, scores);
        if (rounds != 0) output.uint32(19, rounds);
    }
}
