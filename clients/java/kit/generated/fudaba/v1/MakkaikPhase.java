// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The next thing to do in a deal. */
public enum MakkaikPhase implements Numbered {
    /** Not a phase; never sent. */
    UNSPECIFIED(0),
    /** To swap or to draw. */
    EXCHANGE(1),
    /** To keep one of the drawn cards. */
    KEEPING(2),
    /** To stay or to fold; the dealer names the base. */
    BETTING(3),
    /** The match is over. */
    OVER(4),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    MakkaikPhase(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static MakkaikPhase of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> EXCHANGE;
            case 2 -> KEEPING;
            case 3 -> BETTING;
            case 4 -> OVER;
            default -> UNRECOGNIZED;
        };
    }
}
