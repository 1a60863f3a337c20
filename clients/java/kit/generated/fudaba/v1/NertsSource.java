// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** Where a card is taken from. */
public enum NertsSource implements Numbered {
    /** Not a source. Refused. */
    UNSPECIFIED(0),
    /** The top card of the seat's Nerts pile. */
    NERTS(1),
    /** The top card of the seat's waste. */
    WASTE(2),
    /** The last card of the seat's work pile 0. */
    WORK_0(3),
    /** The last card of the seat's work pile 1. */
    WORK_1(4),
    /** The last card of the seat's work pile 2. */
    WORK_2(5),
    /** The last card of the seat's work pile 3. */
    WORK_3(6),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NertsSource(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NertsSource of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> NERTS;
            case 2 -> WASTE;
            case 3 -> WORK_0;
            case 4 -> WORK_1;
            case 5 -> WORK_2;
            case 6 -> WORK_3;
            default -> UNRECOGNIZED;
        };
    }
}
