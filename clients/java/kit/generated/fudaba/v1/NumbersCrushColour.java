// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The colour that a colour bind (色縛り) allows. */
public enum NumbersCrushColour implements Numbered {
    /** There is no bind. */
    UNSPECIFIED(0),
    /** Only clubs and spades may be set. */
    BLACK(1),
    /** Only diamonds and hearts may be set. */
    RED(2),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NumbersCrushColour(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NumbersCrushColour of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> BLACK;
            case 2 -> RED;
            default -> UNRECOGNIZED;
        };
    }
}
