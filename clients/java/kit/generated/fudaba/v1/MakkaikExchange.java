// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** How a seat has exchanged. */
public enum MakkaikExchange implements Numbered {
    /** It has not exchanged yet. */
    UNSPECIFIED(0),
    /** It has swapped. */
    SWAPPED(1),
    /** It has drawn. */
    DREW(2),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    MakkaikExchange(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static MakkaikExchange of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> SWAPPED;
            case 2 -> DREW;
            default -> UNRECOGNIZED;
        };
    }
}
