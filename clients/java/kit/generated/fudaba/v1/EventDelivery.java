// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** When a bot gets the events of a match. */
public enum EventDelivery implements Numbered {
    /** With its next decision. */
    UNSPECIFIED(0),
    /** With its next decision. */
    WITH_DECISION(1),
    /** At once, and not again with the decision. */
    AT_ONCE(2),
    /** Never: the view of each decision is enough. */
    NEVER(3),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    EventDelivery(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static EventDelivery of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> WITH_DECISION;
            case 2 -> AT_ONCE;
            case 3 -> NEVER;
            default -> UNRECOGNIZED;
        };
    }
}
