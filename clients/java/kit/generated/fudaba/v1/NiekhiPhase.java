// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The next thing to do in a deal. */
public enum NiekhiPhase implements Numbered {
    /** Not a phase. */
    UNSPECIFIED(0),
    /** A seat lays a meld or passes. */
    LAYING(1),
    /** The seat that has just laid generals uses them or declines. */
    GENERALS(2),
    /** The match is over; the view is that of the end of its last deal. */
    OVER(3),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NiekhiPhase(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NiekhiPhase of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> LAYING;
            case 2 -> GENERALS;
            case 3 -> OVER;
            default -> UNRECOGNIZED;
        };
    }
}
