// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A seat won the deal.
 *
 * @param seat The seat.
 * @param source The seat that discarded the winning card, and pays; absent when the card was drawn, so that everybody
 *     pays.
 * @param cards The six cards, in deck order.
 * @param light The card that was turned up at the win; absent without lights, or with an empty stock.
 * @param sameColour Whether all six cards are of one colour: 1 point.
 * @param sixInRow Whether two runs make six consecutive values: 1 point.
 * @param firstRound Whether it was won in the first round: 3 points.
 * @param four Whether a set of four was first shown in the hand: 1 point from every other seat.
 * @param kings How many real kings and emperors there are: 1 point each, not multiplied.
 * @param lit The points for lights, not multiplied.
 */
public record TashotWon(int seat, Integer source, List<KamikisenCard> cards, KamikisenCard light, boolean sameColour,
        boolean sixInRow, boolean firstRound, boolean four, int kings, int lit) implements TashotEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static TashotWon read(Input input) throws IOException {
        int seat = 0;
        Integer source = null;
        List<KamikisenCard> cards = new ArrayList<>();
        KamikisenCard light = null;
        boolean sameColour = false;
        boolean sixInRow = false;
        boolean firstRound = false;
        boolean four = false;
        int kings = 0;
        int lit = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> source = input.uint32();
                case 3 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                case 4 -> light = KamikisenCard.of(input.int32());
                case 5 -> sameColour = input.bool();
                case 6 -> sixInRow = input.bool();
                case 7 -> firstRound = input.bool();
                case 8 -> four = input.bool();
                case 9 -> kings = input.uint32();
                case 10 -> lit = input.uint32();
                default -> input.skip();
            }
        }
        return new TashotWon(seat, source, List.copyOf(cards), light, sameColour, sixInRow, firstRound, four, kings,
                lit);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (source != null) output.uint32(2, source);
        output.enums(3, cards);
        if (light != null) output.int32(4, light.number());
        if (sameColour) output.bool(5, sameColour);
        if (sixInRow) output.bool(6, sixInRow);
        if (firstRound) output.bool(7, firstRound);
        if (four) output.bool(8, four);
        if (kings != 0) output.uint32(9, kings);
        if (lit != 0) output.uint32(10, lit);
    }
}
