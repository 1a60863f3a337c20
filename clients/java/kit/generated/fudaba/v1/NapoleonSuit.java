// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** What a bid makes trump, weakest first. The letter in texts is C, D, H, S or N. */
public enum NapoleonSuit implements Numbered {
    /** Not a suit. Refused where a suit is expected. */
    UNSPECIFIED(0),
    /** Clubs are trump. */
    CLUBS(1),
    /** Diamonds are trump. */
    DIAMONDS(2),
    /** Hearts are trump. */
    HEARTS(3),
    /** Spades are trump. */
    SPADES(4),
    /** ノートラ: there is no trump. */
    NO_TRUMP(5),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NapoleonSuit(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NapoleonSuit of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> CLUBS;
            case 2 -> DIAMONDS;
            case 3 -> HEARTS;
            case 4 -> SPADES;
            case 5 -> NO_TRUMP;
            default -> UNRECOGNIZED;
        };
    }
}
