package bot;

import fudaba.v1.Move;
import fudaba.v1.NagaCard;
import fudaba.v1.NagaCommit;
import fudaba.v1.NagaMove;
import fudaba.v1.NagaView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a hand of Naga is worth, roughly: the categories are exact, ties are broken by all of its cards together. */
final class Naga {
    /** The place of each of the table's nine entries. */
    private static final int[] PLACES = {1, 2, 3, 4, 4, 4, 5, 6, 7};
    /** The trump attribute of each place. */
    private static final int[] TRUMPS = {-1, 0, 2, 5, 4, 6, 1, 3};

    /** An attribute, 0 to 6 (dark, light, fire, wind, water, wood, earth), and a number, 1 to 7. */
    private record Card(int attribute, int number) {}

    private Naga() {}

    /** The index of those cards that make the best hand with the cards on the table that are fought for. */
    static int bestHand(NagaView view, List<Move.Game> moves) {
        int best = 0;
        int most = -1;
        for (int index = 0; index < moves.size(); index++) {
            if (moves.get(index) instanceof NagaMove move && move.kind() instanceof NagaCommit commit) {
                int value = handValue(commit.cards(), view);
                if (value > most) {
                    best = index;
                    most = value;
                }
            }
        }
        return best;
    }

    private static int handValue(List<NagaCard> cards, NagaView view) {
        List<NagaCard> all = new ArrayList<>(cards);
        for (int entry = 0; entry < PLACES.length; entry++) {
            NagaCard card = view.table().get(entry);
            if (PLACES[entry] == view.place().number() && card != NagaCard.UNSPECIFIED) {
                all.add(card);
            }
        }
        List<Card> hand = new ArrayList<>();
        for (NagaCard card : all) {
            if (card.number() < NagaCard.MI.number()) {
                hand.add(new Card((card.number() - 1) / 7, (card.number() - 1) % 7 + 1));
            }
        }
        return withMoons(hand, all.size() - hand.size(), TRUMPS[view.place().number()]);
    }

    /** Each moon stands for whatever card makes the best hand. */
    private static int withMoons(List<Card> hand, int moons, int trump) {
        if (moons == 0) {
            return valueOf(hand, trump);
        }
        int most = -1;
        for (int card = 0; card < 49; card++) {
            List<Card> with = new ArrayList<>(hand);
            with.add(new Card(card / 7, card % 7 + 1));
            most = Math.max(most, withMoons(with, moons - 1, trump));
        }
        return most;
    }

    private static int valueOf(List<Card> hand, int trump) {
        int[] counts = new int[8];
        int low = 7;
        int high = 1;
        int strength = 0;
        boolean flush = true;
        for (Card card : hand) {
            counts[card.number]++;
            low = Math.min(low, card.number);
            high = Math.max(high, card.number);
            flush &= card.attribute == hand.get(0).attribute;
            strength += card.number + (card.attribute == trump ? 14 : card.attribute < 2 ? 7 : 0);
        }
        Arrays.sort(counts);
        boolean straight = counts[7] == 1 && high - low == hand.size() - 1;
        return category(counts[7], counts[6], flush, straight, hand.size()) * 1000 + strength;
    }

    /** From nothing (0) to five of a kind (9), as the rule page orders them. */
    private static int category(int most, int second, boolean flush, boolean straight, int length) {
        if (most == 5) {
            return 9;
        } else if (flush && straight && length == 5) {
            return 8;
        } else if (most == 4) {
            return 7;
        } else if (most == 3 && second == 2) {
            return 6;
        } else if (flush) {
            return 5;
        } else if (straight) {
            return 4;
        } else if (most == 3) {
            return 3;
        }
        return most == 2 ? second : 0;
    }
}
