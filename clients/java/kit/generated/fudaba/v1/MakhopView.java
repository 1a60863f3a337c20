// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Makhop match: the deal in progress, and the scores.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals. It moves first.
 * @param turns How many turns this deal has had. It ends after 400.
 * @param idle How many of the last turns in a row opened and did nothing. The deal ends when that is a full circle of
 *     the seats.
 * @param turn The seat whose decision is open; absent when the match is over.
 * @param roads The roads, numbered from 0 in this order.
 * @param hand This seat's hand in deck order; empty for a spectator.
 * @param handSizes How many cards each seat has in hand, one entry per seat.
 * @param stock How many cards the stock has.
 * @param stockCards Which cards these are, in deck order, once everybody knows: after vanished cards became the stock.
 *     Empty before.
 * @param vanished The cards that have vanished and are not back in the stock, in deck order.
 * @param shuffles How often vanished cards have become the stock in this deal.
 * @param scores The scores so far, one entry per seat; complete deals only.
 */
public record MakhopView(int deal, int dealer, int turns, int idle, Integer turn, List<MakhopRoad> roads,
        List<KamikisenCard> hand, List<Integer> handSizes, int stock, List<KamikisenCard> stockCards,
        List<KamikisenCard> vanished, int shuffles, List<Integer> scores) implements View.Game, Writable {
    /** Reads one, to its end. */
    public static MakhopView read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int turns = 0;
        int idle = 0;
        Integer turn = null;
        List<MakhopRoad> roads = new ArrayList<>();
        List<KamikisenCard> hand = new ArrayList<>();
        List<Integer> handSizes = new ArrayList<>();
        int stock = 0;
        List<KamikisenCard> stockCards = new ArrayList<>();
        List<KamikisenCard> vanished = new ArrayList<>();
        int shuffles = 0;
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> turns = input.uint32();
                case 4 -> idle = input.uint32();
                case 5 -> turn = input.uint32();
                case 6 -> { int end = input.enter(); roads.add(MakhopRoad.read(input)); input.leave(end); }
                case 7 -> { for (int end = input.pack(); input.more(end);) hand.add(KamikisenCard.of(input.int32())); }
                case 8 -> { for (int end = input.pack(); input.more(end);) handSizes.add(input.uint32()); }
                case 9 -> stock = input.uint32();
                case 10 -> { for (int end = input.pack(); input.more(end);)
                        stockCards.add(KamikisenCard.of(input.int32())); }
                case 11 -> { for (int end = input.pack(); input.more(end);)
                        vanished.add(KamikisenCard.of(input.int32())); }
                case 12 -> shuffles = input.uint32();
                case 13 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new MakhopView(deal, dealer, turns, idle, turn, List.copyOf(roads), List.copyOf(hand),
                List.copyOf(handSizes), stock, List.copyOf(stockCards), List.copyOf(vanished), shuffles,
                List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (turns != 0) output.uint32(3, turns);
        if (idle != 0) output.uint32(4, idle);
        if (turn != null) output.uint32(5, turn);
        output.messages(6, roads);
        output.enums(7, hand);
        output.uint32s(8, handSizes);
        if (stock != 0) output.uint32(9, stock);
        output.enums(10, stockCards);
        output.enums(11, vanished);
        if (shuffles != 0) output.uint32(12, shuffles);
        output.sint32s(13, scores);
    }
}
