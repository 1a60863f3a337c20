// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/**
 * A card of the Kamikisen deck, in deck order: red, then black, each from ship to emperor. The deck has several equal
 * copies of most cards; a list that holds a card twice has its value twice. The text form is the name without its
 * prefix, the colour in small letters: r or b, then the kind. With c = value - 1: colour c / 12 (0 red, 1 black), kind
 * c % 12 (as in KamikisenKind, less one).
 */
public enum KamikisenCard implements Numbered {
    /** Not a card. Refused where a card is expected. */
    UNSPECIFIED(0),
    /** red ship 船 */
    RS(1),
    /** red none 無 */
    R0(2),
    /** red soldier 兵 */
    R1(3),
    /** red bow 弓 */
    R2(4),
    /** red chariot 車 */
    R3(5),
    /** red tiger 虎 */
    R4(6),
    /** red horse 馬 */
    R5(7),
    /** red brush 筆 */
    R6(8),
    /** red shaman 巫 */
    R7(9),
    /** red general 将 */
    R8(10),
    /** red king 王 */
    RK(11),
    /** red emperor 皇 */
    RT(12),
    /** black ship 船 */
    BS(13),
    /** black none 無 */
    B0(14),
    /** black soldier 兵 */
    B1(15),
    /** black bow 弓 */
    B2(16),
    /** black chariot 車 */
    B3(17),
    /** black tiger 虎 */
    B4(18),
    /** black horse 馬 */
    B5(19),
    /** black brush 筆 */
    B6(20),
    /** black shaman 巫 */
    B7(21),
    /** black general 将 */
    B8(22),
    /** black king 王 */
    BK(23),
    /** black emperor 皇 */
    BT(24),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    KamikisenCard(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static KamikisenCard of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> RS;
            case 2 -> R0;
            case 3 -> R1;
            case 4 -> R2;
            case 5 -> R3;
            case 6 -> R4;
            case 7 -> R5;
            case 8 -> R6;
            case 9 -> R7;
            case 10 -> R8;
            case 11 -> RK;
            case 12 -> RT;
            case 13 -> BS;
            case 14 -> B0;
            case 15 -> B1;
            case 16 -> B2;
            case 17 -> B3;
            case 18 -> B4;
            case 19 -> B5;
            case 20 -> B6;
            case 21 -> B7;
            case 22 -> B8;
            case 23 -> BK;
            case 24 -> BT;
            default -> UNRECOGNIZED;
        };
    }
}
