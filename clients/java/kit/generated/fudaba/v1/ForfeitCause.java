// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** Why a seat lost before the end. */
public enum ForfeitCause implements Numbered {
    /** Not said. */
    UNSPECIFIED(0),
    /** It resigned. */
    RESIGNED(1),
    /** It let its time run out {@code max_timeouts} times. */
    TIMEOUTS(2),
    /** It gave {@code max_illegal} illegal answers. */
    ILLEGAL(3),
    /**
     * Its program ended again and again. This and the following causes are an arena's, of bots that it runs: it resigns
     * for them, and so do the records of their matches say.
     */
    CRASHED(4),
    /** It used up the processor time that it had for the match. */
    CPU(5),
    /** It went over another limit of its sandbox, such as that of memory. */
    LIMIT(6),
    /**
     * The match of a ladder's block was not played, since its bot was away after another match of the block had begun
     * (docs/organisers.md#absence). An arena's cause: no record has it.
     */
    ABSENT(7),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    ForfeitCause(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static ForfeitCause of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> RESIGNED;
            case 2 -> TIMEOUTS;
            case 3 -> ILLEGAL;
            case 4 -> CRASHED;
            case 5 -> CPU;
            case 6 -> LIMIT;
            case 7 -> ABSENT;
            default -> UNRECOGNIZED;
        };
    }
}
