// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Naga match.
 *
 * @param deal The number of the deal, from 0.
 * @param battle The number of the battle in this deal, from 0; 6 is the last battle, for Eltam.
 * @param dealer The seat that deals. The other seat is the child, who designates first.
 * @param place The designated place, or unspecified when a designation is due (then {@code to_designate} says whose).
 * @param toDesignate The seat whose designation is due. Meaningful only while {@code place} is unspecified.
 * @param table The table, always nine entries: the cards of places 1, 2, 3, 4, 4, 4, 5, 6, 7, in this order;
 *     unspecified where the card is gone. The three of Eltam are in deck order.
 * @param hand This seat's hand in deck order, committed cards included. Empty for a spectator.
 * @param committed The cards that this seat has committed, while the other has not committed yet.
 * @param won The table cards won, one entry per seat.
 * @param discarded The cards of this deal that were shown and are out of play, in deck order: those played, and tied
 *     table cards.
 * @param stock The number of cards in the stock.
 * @param scores The scores so far, one entry per seat; complete deals only.
 */
public record NagaView(int deal, int battle, int dealer, NagaPlace place, int toDesignate, List<NagaCard> table,
        List<NagaCard> hand, List<NagaCard> committed, List<NagaCards> won, List<NagaCard> discarded, int stock,
        List<Integer> scores) implements View.Game, Writable {
    /** Reads one, to its end. */
    public static NagaView read(Input input) throws IOException {
        int deal = 0;
        int battle = 0;
        int dealer = 0;
        NagaPlace place = NagaPlace.UNSPECIFIED;
        int toDesignate = 0;
        List<NagaCard> table = new ArrayList<>();
        List<NagaCard> hand = new ArrayList<>();
        List<NagaCard> committed = new ArrayList<>();
        List<NagaCards> won = new ArrayList<>();
        List<NagaCard> discarded = new ArrayList<>();
        int stock = 0;
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> battle = input.uint32();
                case 3 -> dealer = input.uint32();
                case 4 -> place = NagaPlace.of(input.int32());
                case 5 -> toDesignate = input.uint32();
                case 6 -> { for (int end = input.pack(); input.more(end);) table.add(NagaCard.of(input.int32())); }
                case 7 -> { for (int end = input.pack(); input.more(end);) hand.add(NagaCard.of(input.int32())); }
                case 8 -> { for (int end = input.pack(); input.more(end);) committed.add(NagaCard.of(input.int32())); }
                case 9 -> { int end = input.enter(); won.add(NagaCards.read(input)); input.leave(end); }
                case 10 -> { for (int end = input.pack(); input.more(end);) discarded.add(NagaCard.of(input.int32())); }
                case 11 -> stock = input.uint32();
                case 12 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NagaView(deal, battle, dealer, place, toDesignate, List.copyOf(table), List.copyOf(hand),
                List.copyOf(committed), List.copyOf(won), List.copyOf(discarded), stock, List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (battle != 0) output.uint32(2, battle);
        if (dealer != 0) output.uint32(3, dealer);
        if (place.number() != 0) output.int32(4, place.number());
        if (toDesignate != 0) output.uint32(5, toDesignate);
        output.enums(6, table);
        output.enums(7, hand);
        output.enums(8, committed);
        output.messages(9, won);
        output.enums(10, discarded);
        if (stock != 0) output.uint32(11, stock);
        output.sint32s(12, scores);
    }
}
