// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** Why a seat lost before the end. */
public enum ForfeitCause implements Numbered {
    /** Unspecified. */
    UNSPECIFIED(0),
    /** It resigned. */
    RESIGNED(1),
    /** It let its time run out {@code max_timeouts} times. */
    TIMEOUTS(2),
    /** It gave {@code max_illegal} illegal answers. */
    ILLEGAL(3),
    /**
     * Its program ended again and again. An arena sets this cause and the following ones, for bots that it runs. It
     * resigns for these bots, so the records of their matches say that they resigned.
     */
    CRASHED(4),
    /** It used up the processor time that it had for the match. */
    CPU(5),
    /** It exceeded another limit of its sandbox, such as the memory limit. */
    LIMIT(6),
    /**
     * The match of a ladder's block was not played, since its bot was away after another match of the block had begun
     * (docs/organisers.md#absence). Only an arena sets this cause: no record has it.
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
