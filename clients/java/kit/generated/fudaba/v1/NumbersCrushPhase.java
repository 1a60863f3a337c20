// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The next thing to do in a deal. */
public enum NumbersCrushPhase implements Numbered {
    /** Not a phase. */
    UNSPECIFIED(0),
    /** The seat whose turn it is skips or draws. */
    DRAW(1),
    /** It passes or sets. */
    SET(2),
    /** Effect of 7: it gives a card, or declines to give more. */
    GIVE(3),
    /** Effect of two or more 6: it discards a card. */
    MUST_DISCARD(4),
    /** Effect of 9: it discards a card, or declines to discard more. */
    MAY_DISCARD(5),
    /** Effect of two or more 6: it declines, or sets again within the limits. */
    EXTRA(6),
    /** Effect of 8, and of 9 in a bind: it declines, or sets again without limits. */
    RESET(7),
    /** Penalty cards lie open: it declines, or sets some of them, which cancels the rest. */
    PENALTY(8),
    /**
     * Between two turns: seats that can may declare a zero-out. All of them are asked at once, and the others do not
     * see who is asked.
     */
    ZERO_OUT(9),
    /** A zero-out was declared: seats that can may counter it. As before, nobody sees who is asked. */
    COUNTER(10),
    /** The match is over; the view is that of the end of its last deal. */
    OVER(11),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NumbersCrushPhase(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NumbersCrushPhase of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> DRAW;
            case 2 -> SET;
            case 3 -> GIVE;
            case 4 -> MUST_DISCARD;
            case 5 -> MAY_DISCARD;
            case 6 -> EXTRA;
            case 7 -> RESET;
            case 8 -> PENALTY;
            case 9 -> ZERO_OUT;
            case 10 -> COUNTER;
            case 11 -> OVER;
            default -> UNRECOGNIZED;
        };
    }
}
