// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/**
 * A card of the Naga deck, in deck order. The text form is the name without its prefix. D dark, L light, F fire, W
 * wind, A water, T wood, E earth, each 1-7; MI and MC are the moons Ilbeck and Corseltel.
 */
public enum NagaCard implements Numbered {
    /** Not a card: an empty place of the table. Refused where a card is expected. */
    UNSPECIFIED(0),
    /** dark 1 */
    D1(1),
    /** dark 2 */
    D2(2),
    /** dark 3 */
    D3(3),
    /** dark 4 */
    D4(4),
    /** dark 5 */
    D5(5),
    /** dark 6 */
    D6(6),
    /** dark 7 */
    D7(7),
    /** light 1 */
    L1(8),
    /** light 2 */
    L2(9),
    /** light 3 */
    L3(10),
    /** light 4 */
    L4(11),
    /** light 5 */
    L5(12),
    /** light 6 */
    L6(13),
    /** light 7 */
    L7(14),
    /** fire 1 */
    F1(15),
    /** fire 2 */
    F2(16),
    /** fire 3 */
    F3(17),
    /** fire 4 */
    F4(18),
    /** fire 5 */
    F5(19),
    /** fire 6 */
    F6(20),
    /** fire 7 */
    F7(21),
    /** wind 1 */
    W1(22),
    /** wind 2 */
    W2(23),
    /** wind 3 */
    W3(24),
    /** wind 4 */
    W4(25),
    /** wind 5 */
    W5(26),
    /** wind 6 */
    W6(27),
    /** wind 7 */
    W7(28),
    /** water 1 */
    A1(29),
    /** water 2 */
    A2(30),
    /** water 3 */
    A3(31),
    /** water 4 */
    A4(32),
    /** water 5 */
    A5(33),
    /** water 6 */
    A6(34),
    /** water 7 */
    A7(35),
    /** wood 1 */
    T1(36),
    /** wood 2 */
    T2(37),
    /** wood 3 */
    T3(38),
    /** wood 4 */
    T4(39),
    /** wood 5 */
    T5(40),
    /** wood 6 */
    T6(41),
    /** wood 7 */
    T7(42),
    /** earth 1 */
    E1(43),
    /** earth 2 */
    E2(44),
    /** earth 3 */
    E3(45),
    /** earth 4 */
    E4(46),
    /** earth 5 */
    E5(47),
    /** earth 6 */
    E6(48),
    /** earth 7 */
    E7(49),
    /** the greater moon, Ilbeck (大月) */
    MI(50),
    /** the lesser moon, Corseltel (小月) */
    MC(51),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NagaCard(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NagaCard of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> D1;
            case 2 -> D2;
            case 3 -> D3;
            case 4 -> D4;
            case 5 -> D5;
            case 6 -> D6;
            case 7 -> D7;
            case 8 -> L1;
            case 9 -> L2;
            case 10 -> L3;
            case 11 -> L4;
            case 12 -> L5;
            case 13 -> L6;
            case 14 -> L7;
            case 15 -> F1;
            case 16 -> F2;
            case 17 -> F3;
            case 18 -> F4;
            case 19 -> F5;
            case 20 -> F6;
            case 21 -> F7;
            case 22 -> W1;
            case 23 -> W2;
            case 24 -> W3;
            case 25 -> W4;
            case 26 -> W5;
            case 27 -> W6;
            case 28 -> W7;
            case 29 -> A1;
            case 30 -> A2;
            case 31 -> A3;
            case 32 -> A4;
            case 33 -> A5;
            case 34 -> A6;
            case 35 -> A7;
            case 36 -> T1;
            case 37 -> T2;
            case 38 -> T3;
            case 39 -> T4;
            case 40 -> T5;
            case 41 -> T6;
            case 42 -> T7;
            case 43 -> E1;
            case 44 -> E2;
            case 45 -> E3;
            case 46 -> E4;
            case 47 -> E5;
            case 48 -> E6;
            case 49 -> E7;
            case 50 -> MI;
            case 51 -> MC;
            default -> UNRECOGNIZED;
        };
    }
}
