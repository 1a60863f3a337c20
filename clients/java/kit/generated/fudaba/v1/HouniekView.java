// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Houniek match: the deal in progress, and the scores.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals. It leads to the first round.
 * @param round The number of the round, from 0.
 * @param turn The seat whose decision is open; absent when the match is over.
 * @param leader The seat that leads, or has led, to the round.
 * @param table The melds of the round in the order in which they were laid; the last one is the newest, the one to
 *     beat. The seats from the one after its owner up to the turn have passed. When the match is over the last one has
 *     won the deal.
 * @param cleared The cards that were laid in earlier rounds of the deal, in deck order.
 * @param hand This seat's hand in deck order; empty for a spectator.
 * @param handSizes How many cards each seat has in hand, one entry per seat.
 * @param stock How many cards the stock has left.
 * @param scores The scores so far, one entry per seat; complete deals only.
 */
public record HouniekView(int deal, int dealer, int round, Integer turn, int leader, List<HouniekLaid> table,
        List<KamikisenCard> cleared, List<KamikisenCard> hand, List<Integer> handSizes, int stock, List<Integer> scores)
        implements View.Game, Writable {
    /** Reads one, to its end. */
    public static HouniekView read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int round = 0;
        Integer turn = null;
        int leader = 0;
        List<HouniekLaid> table = new ArrayList<>();
        List<KamikisenCard> cleared = new ArrayList<>();
        List<KamikisenCard> hand = new ArrayList<>();
        List<Integer> handSizes = new ArrayList<>();
        int stock = 0;
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> round = input.uint32();
                case 4 -> turn = input.uint32();
                case 5 -> leader = input.uint32();
                case 6 -> { int end = input.enter(); table.add(HouniekLaid.read(input)); input.leave(end); }
                case 7 -> { for (int end = input.pack(); input.more(end);) cleared.add(KamikisenCard.of(input.int32()));
                        }
                case 8 -> { for (int end = input.pack(); input.more(end);) hand.add(KamikisenCard.of(input.int32())); }
                case 9 -> { for (int end = input.pack(); input.more(end);) handSizes.add(input.uint32()); }
                case 10 -> stock = input.uint32();
                case 11 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new HouniekView(deal, dealer, round, turn, leader, List.copyOf(table), List.copyOf(cleared),
                List.copyOf(hand), List.copyOf(handSizes), stock, List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (round != 0) output.uint32(3, round);
        if (turn != null) output.uint32(4, turn);
        if (leader != 0) output.uint32(5, leader);
        output.messages(6, table);
        output.enums(7, cleared);
        output.enums(8, hand);
        output.uint32s(9, handSizes);
        if (stock != 0) output.uint32(10, stock);
        output.sint32s(11, scores);
    }
}
