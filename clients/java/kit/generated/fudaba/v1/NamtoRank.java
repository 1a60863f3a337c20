// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** The rank of a meld, which counts before anything else, from low to high. */
public enum NamtoRank implements Numbered {
    /** Not a rank; never sent. */
    UNSPECIFIED(0),
    /** 一: one card. */
    SINGLE(1),
    /** 友: cards of one strength. */
    SET(2),
    /** 連: three or more cards of one colour with consecutive values. */
    RUN(3),
    /** 闇戦之集: 1 1 1 1 1. */
    DARK_GATHERING(4),
    /** 行行: a real ship, 3, 5. */
    GOING(5),
    /** 馬弓兵: 5 2 1. */
    HORSE_BOW_SOLDIER(6),
    /** 地心: 6 7 8. */
    EARTH_HEART(7),
    /** 皇王: an emperor and a king. */
    EMPEROR_KING(8),
    /** 筆兵無傾: 1 2 8 6 7. */
    LEVEL_BRUSH(9),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NamtoRank(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NamtoRank of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> SINGLE;
            case 2 -> SET;
            case 3 -> RUN;
            case 4 -> DARK_GATHERING;
            case 5 -> GOING;
            case 6 -> HORSE_BOW_SOLDIER;
            case 7 -> EARTH_HEART;
            case 8 -> EMPEROR_KING;
            case 9 -> LEVEL_BRUSH;
            default -> UNRECOGNIZED;
        };
    }
}
