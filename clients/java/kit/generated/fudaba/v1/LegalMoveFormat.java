// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The form in which a bot gets its legal moves. */
public enum LegalMoveFormat implements Numbered {
    /** As typed messages. */
    UNSPECIFIED(0),
    /** As typed messages. */
    TYPED(1),
    /** As text, for example {@code commit D7 A1 T3}. */
    TEXT(2),
    /** Only their number. An answer is then a move, its text, or an index. */
    COUNT(3),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    LegalMoveFormat(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static LegalMoveFormat of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> TYPED;
            case 2 -> TEXT;
            case 3 -> COUNT;
            default -> UNRECOGNIZED;
        };
    }
}
