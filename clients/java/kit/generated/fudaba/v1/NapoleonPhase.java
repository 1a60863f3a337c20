// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The next thing to do in a deal. */
public enum NapoleonPhase implements Numbered {
    /** Not a phase. */
    UNSPECIFIED(0),
    /** Seats approve or bid. */
    AUCTION(1),
    /** Napoleon has the widow in hand and buries two cards. */
    EXCHANGE(2),
    /** Napoleon names the adjutant's card. */
    NAMING(3),
    /** Seats play to tricks. */
    TRICKS(4),
    /** The match is over; the view is that of the end of its last deal. */
    OVER(5),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NapoleonPhase(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NapoleonPhase of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> AUCTION;
            case 2 -> EXCHANGE;
            case 3 -> NAMING;
            case 4 -> TRICKS;
            case 5 -> OVER;
            default -> UNRECOGNIZED;
        };
    }
}
