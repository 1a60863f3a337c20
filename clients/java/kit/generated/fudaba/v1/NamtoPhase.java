// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The next thing to do in a deal. */
public enum NamtoPhase implements Numbered {
    /** Not a phase; never sent. */
    UNSPECIFIED(0),
    /** The first pass of a round: to fold or to bet. */
    BETTING(1),
    /** The second pass: to fold or to call. */
    CALLING(2),
    /** The match is over. */
    OVER(3),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NamtoPhase(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NamtoPhase of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> BETTING;
            case 2 -> CALLING;
            case 3 -> OVER;
            default -> UNRECOGNIZED;
        };
    }
}
