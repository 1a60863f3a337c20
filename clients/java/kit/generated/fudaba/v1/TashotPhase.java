// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The next thing to do in a deal. */
public enum TashotPhase implements Numbered {
    /** Not a phase. */
    UNSPECIFIED(0),
    /** A seat has drawn a card. It discards, lays a set of four open, or wins. */
    TURN(1),
    /** A seat has called. It discards. */
    CALLED(2),
    /** A card was discarded. Every seat that can take it is asked, all at once. */
    WINDOW(3),
    /** The match is over; the view is that of the end of its last deal. */
    OVER(4),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    TashotPhase(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static TashotPhase of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> TURN;
            case 2 -> CALLED;
            case 3 -> WINDOW;
            case 4 -> OVER;
            default -> UNRECOGNIZED;
        };
    }
}
