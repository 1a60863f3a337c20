// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** Why a deal ended. */
public enum NertsCause implements Numbered {
    /** Not said. */
    UNSPECIFIED(0),
    /** Somebody called "Nerts!". */
    CALL(1),
    /** Three turns of the stocks in a row. */
    STANDSTILL(2),
    /** The limit of a deal. */
    LIMIT(3),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NertsCause(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NertsCause of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> CALL;
            case 2 -> STANDSTILL;
            case 3 -> LIMIT;
            default -> UNRECOGNIZED;
        };
    }
}
