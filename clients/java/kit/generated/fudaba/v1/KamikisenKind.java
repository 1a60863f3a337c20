// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** A kind of card, whatever its colour. The number of copies is that of each colour. */
public enum KamikisenKind implements Numbered {
    /** Not a kind. Refused where a kind is expected. */
    UNSPECIFIED(0),
    /** 船, no value; 1 in each colour */
    SHIP(1),
    /** 無, value 0; 3 in each colour */
    NONE(2),
    /** 兵, value 1; 4 in each colour */
    SOLDIER(3),
    /** 弓, value 2; 2 in each colour */
    BOW(4),
    /** 車, value 3; 2 in each colour */
    CHARIOT(5),
    /** 虎, value 4; 2 in each colour */
    TIGER(6),
    /** 馬, value 5; 2 in each colour */
    HORSE(7),
    /** 筆, value 6; 2 in each colour */
    BRUSH(8),
    /** 巫, value 7; 2 in each colour */
    SHAMAN(9),
    /** 将, value 8; 2 in each colour */
    GENERAL(10),
    /** 王, no value; 1 in each colour */
    KING(11),
    /** 皇, no value; 1 in each colour */
    EMPEROR(12),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    KamikisenKind(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static KamikisenKind of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> SHIP;
            case 2 -> NONE;
            case 3 -> SOLDIER;
            case 4 -> BOW;
            case 5 -> CHARIOT;
            case 6 -> TIGER;
            case 7 -> HORSE;
            case 8 -> BRUSH;
            case 9 -> SHAMAN;
            case 10 -> GENERAL;
            case 11 -> KING;
            case 12 -> EMPEROR;
            default -> UNRECOGNIZED;
        };
    }
}
