// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Numbers Crush match: the deal in progress, and the scores.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals, and has the first turn.
 * @param turns How many turns have begun in this deal, not counting lost ones.
 * @param phase The next thing to do.
 * @param turn The seat whose turn it is, or was last; absent before the first turn of a deal and when the match is
 *     over.
 * @param reversed Whether play goes anticlockwise.
 * @param base The card on top of the base pile.
 * @param number The base's number, 1 to 13; 0 when it is a declared joker.
 * @param suit The base's suit, after a 9 the one that it named; unspecified when it is a declared joker.
 * @param pile The cards under the base, in deck order.
 * @param stock How many cards the stock has.
 * @param handSizes How many cards each seat has, one entry per seat.
 * @param bind The colour that a colour bind allows; unspecified while there is none.
 * @param bindMaker The seat that made the bind; absent while there is none.
 * @param pending The pending penalty of draw three; 0 while there is none.
 * @param kingPenalty The penalty of king time; 0 while there is no king time.
 * @param kingStarter The seat that started king time; absent while there is none.
 * @param jokerLock Whether only one joker may be set, because the last set was a declared joker.
 * @param resets How many extra sets without limits, by 8 and 9, the seat whose turn it is may make after what is due
 *     now.
 * @param cardsLeft How many cards it may still give, or must or may still discard, in the phases of giving and
 *     discarding.
 * @param penaltyCards The penalty cards that were drawn last in this deal, in the order of drawing. In the phase of
 *     penalty cards these are the cards that may be set.
 * @param penaltyLeft How many penalty cards are still to be drawn, in that phase.
 * @param zeroOut The seat that has declared a zero-out; absent while there is none. Its hand has not changed.
 * @param answered Whether this seat has answered in a zero-out or counter phase. Never set for a spectator.
 * @param hand This seat's hand in deck order. Empty for a spectator.
 * @param known Cards that everybody knows to be in a seat's hand: penalty cards that it drew, the hand of a zero-out.
 *     When that seat gives a card away they are no longer certain, and left out from then on. By seat, then in deck
 *     order.
 * @param knownSeats The holder of each of the cards in {@code known}.
 * @param scores The scores so far, one entry per seat; complete deals only.
 * @param knownAlone Cards that this seat knows to be in another seat's hand while the others need not: those that it
 *     gave, and when it was given one, those that were known to be with it. Like {@code known} they are left out when
 *     that seat gives a third one a card. By seat, then in deck order. Empty for a spectator.
 * @param knownAloneSeats The holder of each of the cards in {@code known_alone}.
 * @param changedSeats The seats whose hand or base has changed since they were last asked for a zero-out. In a zero-out
 *     or counter phase: the seats that may be able to declare something, for all that everybody knows. Rising.
 * @param lostTurns How many turns are lost after this one, by 5s.
 * @param nextTurn The seat that has the next turn, where that is not by play order: after king time. Absent otherwise.
 * @param newBind Whether the bind was made in this turn: it binds from the next seat on, so not the extra set by
 *     several 6s.
 */
public record NumbersCrushView(int deal, int dealer, int turns, NumbersCrushPhase phase, Integer turn, boolean reversed,
        NumbersCrushCard base, int number, NumbersCrushSuit suit, List<NumbersCrushCard> pile, int stock,
        List<Integer> handSizes, NumbersCrushColour bind, Integer bindMaker, int pending, int kingPenalty,
        Integer kingStarter, boolean jokerLock, int resets, int cardsLeft, List<NumbersCrushCard> penaltyCards,
        int penaltyLeft, Integer zeroOut, boolean answered, List<NumbersCrushCard> hand, List<NumbersCrushCard> known,
        List<Integer> knownSeats, List<Integer> scores, List<NumbersCrushCard> knownAlone,
        List<Integer> knownAloneSeats, List<Integer> changedSeats, int lostTurns, Integer nextTurn, boolean newBind)
        implements View.Game, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushView read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int turns = 0;
        NumbersCrushPhase phase = NumbersCrushPhase.UNSPECIFIED;
        Integer turn = null;
        boolean reversed = false;
        NumbersCrushCard base = NumbersCrushCard.NUMBERS_CRUSH_CARD_UNSPECIFIED;
        int number = 0;
        NumbersCrushSuit suit = NumbersCrushSuit.UNSPECIFIED;
        List<NumbersCrushCard> pile = new ArrayList<>();
        int stock = 0;
        List<Integer> handSizes = new ArrayList<>();
        NumbersCrushColour bind = NumbersCrushColour.UNSPECIFIED;
        Integer bindMaker = null;
        int pending = 0;
        int kingPenalty = 0;
        Integer kingStarter = null;
        boolean jokerLock = false;
        int resets = 0;
        int cardsLeft = 0;
        List<NumbersCrushCard> penaltyCards = new ArrayList<>();
        int penaltyLeft = 0;
        Integer zeroOut = null;
        boolean answered = false;
        List<NumbersCrushCard> hand = new ArrayList<>();
        List<NumbersCrushCard> known = new ArrayList<>();
        List<Integer> knownSeats = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        List<NumbersCrushCard> knownAlone = new ArrayList<>();
        List<Integer> knownAloneSeats = new ArrayList<>();
        List<Integer> changedSeats = new ArrayList<>();
        int lostTurns = 0;
        Integer nextTurn = null;
        boolean newBind = false;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> turns = input.uint32();
                case 4 -> phase = NumbersCrushPhase.of(input.int32());
                case 5 -> turn = input.uint32();
                case 6 -> reversed = input.bool();
                case 7 -> base = NumbersCrushCard.of(input.int32());
                case 8 -> number = input.uint32();
                case 9 -> suit = NumbersCrushSuit.of(input.int32());
                case 10 -> { for (int end = input.pack(); input.more(end);)
                        pile.add(NumbersCrushCard.of(input.int32())); }
                case 11 -> stock = input.uint32();
                case 12 -> { for (int end = input.pack(); input.more(end);) handSizes.add(input.uint32()); }
                case 13 -> bind = NumbersCrushColour.of(input.int32());
                case 14 -> bindMaker = input.uint32();
                case 15 -> pending = input.uint32();
                case 16 -> kingPenalty = input.uint32();
                case 17 -> kingStarter = input.uint32();
                case 18 -> jokerLock = input.bool();
                case 19 -> resets = input.uint32();
                case 20 -> cardsLeft = input.uint32();
                case 21 -> { for (int end = input.pack(); input.more(end);)
                        penaltyCards.add(NumbersCrushCard.of(input.int32())); }
                case 22 -> penaltyLeft = input.uint32();
                case 23 -> zeroOut = input.uint32();
                case 24 -> answered = input.bool();
                case 25 -> { for (int end = input.pack(); input.more(end);)
                        hand.add(NumbersCrushCard.of(input.int32())); }
                case 26 -> { for (int end = input.pack(); input.more(end);)
                        known.add(NumbersCrushCard.of(input.int32())); }
                case 27 -> { for (int end = input.pack(); input.more(end);) knownSeats.add(input.uint32()); }
                case 28 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                case 29 -> { for (int end = input.pack(); input.more(end);)
                        knownAlone.add(NumbersCrushCard.of(input.int32())); }
                case 30 -> { for (int end = input.pack(); input.more(end);) knownAloneSeats.add(input.uint32()); }
                case 31 -> { for (int end = input.pack(); input.more(end);) changedSeats.add(input.uint32()); }
                case 32 -> lostTurns = input.uint32();
                case 33 -> nextTurn = input.uint32();
                case 34 -> newBind = input.bool();
                default -> input.skip();
            }
        }
        return new NumbersCrushView(deal, dealer, turns, phase, turn, reversed, base, number, suit, List.copyOf(pile),
                stock, List.copyOf(handSizes), bind, bindMaker, pending, kingPenalty, kingStarter, jokerLock, resets,
                cardsLeft, List.copyOf(penaltyCards), penaltyLeft, zeroOut, answered, List.copyOf(hand),
                List.copyOf(known), List.copyOf(knownSeats), List.copyOf(scores), List.copyOf(knownAlone),
                List.copyOf(knownAloneSeats), List.copyOf(changedSeats), lostTurns, nextTurn, newBind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (turns != 0) output.uint32(3, turns);
        if (phase.number() != 0) output.int32(4, phase.number());
        if (turn != null) output.uint32(5, turn);
        if (reversed) output.bool(6, reversed);
        if (base.number() != 0) output.int32(7, base.number());
        if (number != 0) output.uint32(8, number);
        if (suit.number() != 0) output.int32(9, suit.number());
        output.enums(10, pile);
        if (stock != 0) output.uint32(11, stock);
        output.uint32s(12, handSizes);
        if (bind.number() != 0) output.int32(13, bind.number());
        if (bindMaker != null) output.uint32(14, bindMaker);
        if (pending != 0) output.uint32(15, pending);
        if (kingPenalty != 0) output.uint32(16, kingPenalty);
        if (kingStarter != null) output.uint32(17, kingStarter);
        if (jokerLock) output.bool(18, jokerLock);
        if (resets != 0) output.uint32(19, resets);
        if (cardsLeft != 0) output.uint32(20, cardsLeft);
        output.enums(21, penaltyCards);
        if (penaltyLeft != 0) output.uint32(22, penaltyLeft);
        if (zeroOut != null) output.uint32(23, zeroOut);
        if (answered) output.bool(24, answered);
        output.enums(25, hand);
        output.enums(26, known);
        output.uint32s(27, knownSeats);
        output.sint32s(28, scores);
        output.enums(29, knownAlone);
        output.uint32s(30, knownAloneSeats);
        output.uint32s(31, changedSeats);
        if (lostTurns != 0) output.uint32(32, lostTurns);
        if (nextTurn != null) output.uint32(33, nextTurn);
        if (newBind) output.bool(34, newBind);
    }
}
