// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/**
 * What a seat says in the auction. A greater value is a higher bid. With c = value - 2, for bids: number 13 + c / 5,
 * suit 1 + c % 5 as in NapoleonSuit.
 */
public enum NapoleonCall implements Numbered {
    /** Not a call. */
    NAPOLEON_CALL_UNSPECIFIED(0),
    /** 承認: the seat does not bid this time. */
    NAPOLEON_CALL_APPROVE(1),
    /** 13 honours with clubs as trump */
    NAPOLEON_CALL_13C(2),
    /** 13 honours with diamonds as trump */
    NAPOLEON_CALL_13D(3),
    /** 13 honours with hearts as trump */
    NAPOLEON_CALL_13H(4),
    /** 13 honours with spades as trump */
    NAPOLEON_CALL_13S(5),
    /** 13 honours without trump */
    NAPOLEON_CALL_13N(6),
    /** 14 honours with clubs as trump */
    NAPOLEON_CALL_14C(7),
    /** 14 honours with diamonds as trump */
    NAPOLEON_CALL_14D(8),
    /** 14 honours with hearts as trump */
    NAPOLEON_CALL_14H(9),
    /** 14 honours with spades as trump */
    NAPOLEON_CALL_14S(10),
    /** 14 honours without trump */
    NAPOLEON_CALL_14N(11),
    /** 15 honours with clubs as trump */
    NAPOLEON_CALL_15C(12),
    /** 15 honours with diamonds as trump */
    NAPOLEON_CALL_15D(13),
    /** 15 honours with hearts as trump */
    NAPOLEON_CALL_15H(14),
    /** 15 honours with spades as trump */
    NAPOLEON_CALL_15S(15),
    /** 15 honours without trump */
    NAPOLEON_CALL_15N(16),
    /** 16 honours with clubs as trump */
    NAPOLEON_CALL_16C(17),
    /** 16 honours with diamonds as trump */
    NAPOLEON_CALL_16D(18),
    /** 16 honours with hearts as trump */
    NAPOLEON_CALL_16H(19),
    /** 16 honours with spades as trump */
    NAPOLEON_CALL_16S(20),
    /** 16 honours without trump */
    NAPOLEON_CALL_16N(21),
    /** 17 honours with clubs as trump */
    NAPOLEON_CALL_17C(22),
    /** 17 honours with diamonds as trump */
    NAPOLEON_CALL_17D(23),
    /** 17 honours with hearts as trump */
    NAPOLEON_CALL_17H(24),
    /** 17 honours with spades as trump */
    NAPOLEON_CALL_17S(25),
    /** 17 honours without trump */
    NAPOLEON_CALL_17N(26),
    /** 18 honours with clubs as trump */
    NAPOLEON_CALL_18C(27),
    /** 18 honours with diamonds as trump */
    NAPOLEON_CALL_18D(28),
    /** 18 honours with hearts as trump */
    NAPOLEON_CALL_18H(29),
    /** 18 honours with spades as trump */
    NAPOLEON_CALL_18S(30),
    /** 18 honours without trump */
    NAPOLEON_CALL_18N(31),
    /** 19 honours with clubs as trump */
    NAPOLEON_CALL_19C(32),
    /** 19 honours with diamonds as trump */
    NAPOLEON_CALL_19D(33),
    /** 19 honours with hearts as trump */
    NAPOLEON_CALL_19H(34),
    /** 19 honours with spades as trump */
    NAPOLEON_CALL_19S(35),
    /** 19 honours without trump */
    NAPOLEON_CALL_19N(36),
    /** 20 honours with clubs as trump */
    NAPOLEON_CALL_20C(37),
    /** 20 honours with diamonds as trump */
    NAPOLEON_CALL_20D(38),
    /** 20 honours with hearts as trump */
    NAPOLEON_CALL_20H(39),
    /** 20 honours with spades as trump */
    NAPOLEON_CALL_20S(40),
    /** 20 honours without trump */
    NAPOLEON_CALL_20N(41),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NapoleonCall(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NapoleonCall of(int number) {
        return switch (number) {
            case 0 -> NAPOLEON_CALL_UNSPECIFIED;
            case 1 -> NAPOLEON_CALL_APPROVE;
            case 2 -> NAPOLEON_CALL_13C;
            case 3 -> NAPOLEON_CALL_13D;
            case 4 -> NAPOLEON_CALL_13H;
            case 5 -> NAPOLEON_CALL_13S;
            case 6 -> NAPOLEON_CALL_13N;
            case 7 -> NAPOLEON_CALL_14C;
            case 8 -> NAPOLEON_CALL_14D;
            case 9 -> NAPOLEON_CALL_14H;
            case 10 -> NAPOLEON_CALL_14S;
            case 11 -> NAPOLEON_CALL_14N;
            case 12 -> NAPOLEON_CALL_15C;
            case 13 -> NAPOLEON_CALL_15D;
            case 14 -> NAPOLEON_CALL_15H;
            case 15 -> NAPOLEON_CALL_15S;
            case 16 -> NAPOLEON_CALL_15N;
            case 17 -> NAPOLEON_CALL_16C;
            case 18 -> NAPOLEON_CALL_16D;
            case 19 -> NAPOLEON_CALL_16H;
            case 20 -> NAPOLEON_CALL_16S;
            case 21 -> NAPOLEON_CALL_16N;
            case 22 -> NAPOLEON_CALL_17C;
            case 23 -> NAPOLEON_CALL_17D;
            case 24 -> NAPOLEON_CALL_17H;
            case 25 -> NAPOLEON_CALL_17S;
            case 26 -> NAPOLEON_CALL_17N;
            case 27 -> NAPOLEON_CALL_18C;
            case 28 -> NAPOLEON_CALL_18D;
            case 29 -> NAPOLEON_CALL_18H;
            case 30 -> NAPOLEON_CALL_18S;
            case 31 -> NAPOLEON_CALL_18N;
            case 32 -> NAPOLEON_CALL_19C;
            case 33 -> NAPOLEON_CALL_19D;
            case 34 -> NAPOLEON_CALL_19H;
            case 35 -> NAPOLEON_CALL_19S;
            case 36 -> NAPOLEON_CALL_19N;
            case 37 -> NAPOLEON_CALL_20C;
            case 38 -> NAPOLEON_CALL_20D;
            case 39 -> NAPOLEON_CALL_20H;
            case 40 -> NAPOLEON_CALL_20S;
            case 41 -> NAPOLEON_CALL_20N;
            default -> UNRECOGNIZED;
        };
    }
}
