// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The form of a meld (役). */
public enum KamikisenForm implements Numbered {
    /** Not a form. Refused where a form is expected. */
    UNSPECIFIED(0),
    /** 一: one card. */
    SINGLE(1),
    /** 友: cards of one strength. */
    SET(2),
    /** 連: cards with consecutive values. */
    RUN(3),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    KamikisenForm(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static KamikisenForm of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> SINGLE;
            case 2 -> SET;
            case 3 -> RUN;
            default -> UNRECOGNIZED;
        };
    }
}
