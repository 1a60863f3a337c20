// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Napoleon match: the deal in progress, and the scores.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals. The seat after it was dealt the first card and speaks first.
 * @param thrownIn How often the cards of this deal have been thrown in because nobody bid. After the third time, the
 *     first seat to speak must bid.
 * @param phase The next thing to do.
 * @param turn The seat whose decision is open; absent when the match is over.
 * @param calls The auction so far, in order: the first call is that of the seat after the dealer, and so on clockwise.
 * @param number The number of the highest bid; 0 while nobody has bid.
 * @param trump The suit of the highest bid; unspecified while nobody has bid.
 * @param napoleon The seat of the highest bid, absent while nobody has bid. From the end of the auction on it is
 *     Napoleon.
 * @param named The adjutant's card; unspecified while it is not named.
 * @param adjutant The adjutant, once its card has been played; absent before. It is Napoleon's own seat if Napoleon
 *     played the card. The holder of the card sees that in its hand. When the match is over this is present in any
 *     case: a named card that was buried makes it Napoleon's seat.
 * @param hand This seat's hand in deck order: ten cards, twelve for Napoleon in the exchange. Empty for a spectator.
 * @param buried The buried cards in deck order, for Napoleon only; for everyone when the match is over.
 * @param leader The seat that leads, or has led, to the trick in progress; absent while there are no tricks.
 * @param trick The cards of the trick in progress, in the order of play: of the seats leader, leader + 1, ... modulo 5.
 * @param tricks The cards of the complete tricks, five for each, in the order of play. Napoleon led to the first trick,
 *     the winner of each to the next.
 * @param winners The winner of each complete trick.
 * @param honours How many honours (10 J Q K A) each seat has taken in this deal, one entry per seat.
 * @param scores The scores so far, one entry per seat; complete deals only.
 */
public record NapoleonView(int deal, int dealer, int thrownIn, NapoleonPhase phase, Integer turn,
        List<NapoleonCall> calls, int number, NapoleonSuit trump, Integer napoleon, NapoleonCard named,
        Integer adjutant, List<NapoleonCard> hand, List<NapoleonCard> buried, Integer leader, List<NapoleonCard> trick,
        List<NapoleonCard> tricks, List<Integer> winners, List<Integer> honours, List<Integer> scores)
        implements View.Game, Writable {
    /** Reads one, to its end. */
    public static NapoleonView read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int thrownIn = 0;
        NapoleonPhase phase = NapoleonPhase.UNSPECIFIED;
        Integer turn = null;
        List<NapoleonCall> calls = new ArrayList<>();
        int number = 0;
        NapoleonSuit trump = NapoleonSuit.UNSPECIFIED;
        Integer napoleon = null;
        NapoleonCard named = NapoleonCard.NAPOLEON_CARD_UNSPECIFIED;
        Integer adjutant = null;
        List<NapoleonCard> hand = new ArrayList<>();
        List<NapoleonCard> buried = new ArrayList<>();
        Integer leader = null;
        List<NapoleonCard> trick = new ArrayList<>();
        List<NapoleonCard> tricks = new ArrayList<>();
        List<Integer> winners = new ArrayList<>();
        List<Integer> honours = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> thrownIn = input.uint32();
                case 4 -> phase = NapoleonPhase.of(input.int32());
                case 5 -> turn = input.uint32();
                case 6 -> { for (int end = input.pack(); input.more(end);) calls.add(NapoleonCall.of(input.int32())); }
                case 7 -> number = input.uint32();
                case 8 -> trump = NapoleonSuit.of(input.int32());
                case 9 -> napoleon = input.uint32();
                case 10 -> named = NapoleonCard.of(input.int32());
                case 11 -> adjutant = input.uint32();
                case 12 -> { for (int end = input.pack(); input.more(end);) hand.add(NapoleonCard.of(input.int32())); }
                case 13 -> { for (int end = input.pack(); input.more(end);) buried.add(NapoleonCard.of(input.int32()));
                        }
                case 14 -> leader = input.uint32();
                case 15 -> { for (int end = input.pack(); input.more(end);) trick.add(NapoleonCard.of(input.int32())); }
                case 16 -> { for (int end = input.pack(); input.more(end);) tricks.add(NapoleonCard.of(input.int32()));
                        }
                case 17 -> { for (int end = input.pack(); input.more(end);) winners.add(input.uint32()); }
                case 18 -> { for (int end = input.pack(); input.more(end);) honours.add(input.uint32()); }
                case 19 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NapoleonView(deal, dealer, thrownIn, phase, turn, List.copyOf(calls), number, trump, napoleon, named,
                adjutant, List.copyOf(hand), List.copyOf(buried), leader, List.copyOf(trick), List.copyOf(tricks),
                List.copyOf(winners), List.copyOf(honours), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (thrownIn != 0) output.uint32(3, thrownIn);
        if (phase.number() != 0) output.int32(4, phase.number());
        if (turn != null) output.uint32(5, turn);
        output.enums(6, calls);
        if (number != 0) output.uint32(7, number);
        if (trump.number() != 0) output.int32(8, trump.number());
        if (napoleon != null) output.uint32(9, napoleon);
        if (named.number() != 0) output.int32(10, named.number());
        if (adjutant != null) output.uint32(11, adjutant);
        output.enums(12, hand);
        output.enums(13, buried);
        if (leader != null) output.uint32(14, leader);
        output.enums(15, trick);
        output.enums(16, tricks);
        output.uint32s(17, winners);
        output.uint32s(18, honours);
        output.sint32s(19, scores);
    }
}
