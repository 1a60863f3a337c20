// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** Why a match ended without a result. */
public enum AbortCause implements Numbered {
    /** Unspecified. */
    UNSPECIFIED(0),
    /** A bot did not connect in time. The entry's seat is the first such seat. */
    NO_SHOW(1),
    /** An organiser ended it. */
    ORGANISER(2),
    /** The store lost the match. */
    LOST(3),
    /** The bot that created it aborted it before all seats were taken. */
    CALLED_OFF(4),
    /** Not all seats were taken in time. {@code absent_seats} lists those that were not taken. */
    NOT_JOINED(5),
    /**
     * The service was replaced by one with another version of the game's rules, under which the match cannot go on. A
     * release with the version that the header names can verify its record.
     */
    RULES_CHANGED(6),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    AbortCause(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static AbortCause of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> NO_SHOW;
            case 2 -> ORGANISER;
            case 3 -> LOST;
            case 4 -> CALLED_OFF;
            case 5 -> NOT_JOINED;
            case 6 -> RULES_CHANGED;
            default -> UNRECOGNIZED;
        };
    }
}
