// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** A strength (強さ), weak to strong. King and emperor are equal. */
public enum KamikisenStrength implements Numbered {
    /** Not a strength. Refused where a strength is expected. */
    UNSPECIFIED(0),
    /** 船 */
    SHIP(1),
    /** 無 */
    NONE(2),
    /** 兵 */
    SOLDIER(3),
    /** 弓 */
    BOW(4),
    /** 車 */
    CHARIOT(5),
    /** 虎 */
    TIGER(6),
    /** 馬 */
    HORSE(7),
    /** 筆 */
    BRUSH(8),
    /** 巫 */
    SHAMAN(9),
    /** 将 */
    GENERAL(10),
    /** 王 and 皇 */
    KING_OR_EMPEROR(11),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    KamikisenStrength(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static KamikisenStrength of(int number) {
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
            case 11 -> KING_OR_EMPEROR;
            default -> UNRECOGNIZED;
        };
    }
}
