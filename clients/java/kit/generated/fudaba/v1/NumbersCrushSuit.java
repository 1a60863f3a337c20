// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** A suit. The letter in texts is C, D, H or S. */
public enum NumbersCrushSuit implements Numbered {
    /** No suit: nothing is named, or the base is a declared joker. */
    UNSPECIFIED(0),
    /** Clubs, black. */
    CLUBS(1),
    /** Diamonds, red. */
    DIAMONDS(2),
    /** Hearts, red. */
    HEARTS(3),
    /** Spades, black. */
    SPADES(4),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NumbersCrushSuit(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NumbersCrushSuit of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> CLUBS;
            case 2 -> DIAMONDS;
            case 3 -> HEARTS;
            case 4 -> SPADES;
            default -> UNRECOGNIZED;
        };
    }
}
