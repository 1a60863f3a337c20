// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** How a deal was won. */
public enum NumbersCrushVictory implements Numbered {
    /** Not a victory. */
    UNSPECIFIED(0),
    /** By an empty hand: the last card was set, given or discarded. */
    EMPTY_HAND(1),
    /** By four 5s or more in one set. */
    FOUR_FIVES(2),
    /** By a zero-out (ゼロアウト). */
    ZERO_OUT(3),
    /** By countering a zero-out (ゼロアウト返し). */
    COUNTER(4),
    /** After the last turn, by the fewest cards in hand. */
    FEWEST_CARDS(5),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NumbersCrushVictory(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NumbersCrushVictory of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> EMPTY_HAND;
            case 2 -> FOUR_FIVES;
            case 3 -> ZERO_OUT;
            case 4 -> COUNTER;
            case 5 -> FEWEST_CARDS;
            default -> UNRECOGNIZED;
        };
    }
}
