// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Niekhi match: the deal in progress, and the scores.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals. It leads first.
 * @param turns How many turns this deal has had: melds and passes. It ends after 400.
 * @param phase The next thing to do.
 * @param turn The seat whose decision is open; absent when the match is over.
 * @param generals How many generals the seat to move has just laid, and so how many strengths it names or cards it
 *     takes; 0 in the other phases.
 * @param table The melds on the table, in the order in which they were laid; the last one is to be beaten. Empty: the
 *     seat to move leads.
 * @param hand This seat's hand, weakest first; empty for a spectator.
 * @param handSizes How many cards each seat has in hand, one entry per seat.
 * @param pile The discard pile, weakest first.
 * @param named The strengths that were named in this deal, weakest first. Nobody holds them any more; those on the
 *     table leave when it is cleared.
 * @param removed The cards that have left the game in this deal, weakest first.
 * @param knownCounts How many cards each seat is known to hold, because everybody saw it take them from the pile, one
 *     entry per seat.
 * @param knownCards These cards, seat by seat, each seat's weakest first.
 * @param scores The scores so far, one entry per seat; complete deals only.
 */
public record NiekhiView(int deal, int dealer, int turns, NiekhiPhase phase, Integer turn, int generals,
        List<NiekhiLaid> table, List<KamikisenStrength> hand, List<Integer> handSizes, List<KamikisenStrength> pile,
        List<KamikisenStrength> named, List<KamikisenStrength> removed, List<Integer> knownCounts,
        List<KamikisenStrength> knownCards, List<Integer> scores) implements View.Game, Writable {
    /** Reads one, to its end. */
    public static NiekhiView read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int turns = 0;
        NiekhiPhase phase = NiekhiPhase.UNSPECIFIED;
        Integer turn = null;
        int generals = 0;
        List<NiekhiLaid> table = new ArrayList<>();
        List<KamikisenStrength> hand = new ArrayList<>();
        List<Integer> handSizes = new ArrayList<>();
        List<KamikisenStrength> pile = new ArrayList<>();
        List<KamikisenStrength> named = new ArrayList<>();
        List<KamikisenStrength> removed = new ArrayList<>();
        List<Integer> knownCounts = new ArrayList<>();
        List<KamikisenStrength> knownCards = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> turns = input.uint32();
                case 4 -> phase = NiekhiPhase.of(input.int32());
                case 5 -> turn = input.uint32();
                case 6 -> generals = input.uint32();
                case 7 -> { int end = input.enter(); table.add(NiekhiLaid.read(input)); input.leave(end); }
                case 8 -> { for (int end = input.pack(); input.more(end);)
                        hand.add(KamikisenStrength.of(input.int32())); }
                case 9 -> { for (int end = input.pack(); input.more(end);) handSizes.add(input.uint32()); }
                case 10 -> { for (int end = input.pack(); input.more(end);)
                        pile.add(KamikisenStrength.of(input.int32())); }
                case 11 -> { for (int end = input.pack(); input.more(end);)
                        named.add(KamikisenStrength.of(input.int32())); }
                case 12 -> { for (int end = input.pack(); input.more(end);)
                        removed.add(KamikisenStrength.of(input.int32())); }
                case 13 -> { for (int end = input.pack(); input.more(end);) knownCounts.add(input.uint32()); }
                case 14 -> { for (int end = input.pack(); input.more(end);)
                        knownCards.add(KamikisenStrength.of(input.int32())); }
                case 15 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NiekhiView(deal, dealer, turns, phase, turn, generals, List.copyOf(table), List.copyOf(hand),
                List.copyOf(handSizes), List.copyOf(pile), List.copyOf(named), List.copyOf(removed),
                List.copyOf(knownCounts), List.copyOf(knownCards), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (turns != 0) output.uint32(3, turns);
        if (phase.number() != 0) output.int32(4, phase.number());
        if (turn != null) output.uint32(5, turn);
        if (generals != 0) output.uint32(6, generals);
        output.messages(7, table);
        output.enums(8, hand);
        output.uint32s(9, handSizes);
        output.enums(10, pile);
        output.enums(11, named);
        output.enums(12, removed);
        output.uint32s(13, knownCounts);
        output.enums(14, knownCards);
        output.sint32s(15, scores);
    }
}
