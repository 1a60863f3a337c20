// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/**
 * A card of the deck, in deck order: clubs, diamonds, hearts, spades, each from ace to king, then the two jokers. The
 * text form is the name without its prefix: rank A 2-9 T J Q K, then suit C D H S; the jokers are X1 and X2. With c =
 * value - 1 below 52: suit c / 13 (0 clubs, 1 diamonds, 2 hearts, 3 spades), number c % 13 + 1. The same values say
 * what a card of a set stands for, its face. A card stands for itself; a 10 that is declared an ace for the ace of its
 * suit; a joker for itself ("joker"), for a card, or for a number alone, where its suit does not matter: the last
 * thirteen values, which are faces only.
 */
public enum NumbersCrushCard implements Numbered {
    /** Not a card. Refused where a card is expected. */
    NUMBERS_CRUSH_CARD_UNSPECIFIED(0),
    /** ace of clubs */
    NUMBERS_CRUSH_CARD_AC(1),
    /** 2 of clubs */
    NUMBERS_CRUSH_CARD_2C(2),
    /** 3 of clubs */
    NUMBERS_CRUSH_CARD_3C(3),
    /** 4 of clubs */
    NUMBERS_CRUSH_CARD_4C(4),
    /** 5 of clubs */
    NUMBERS_CRUSH_CARD_5C(5),
    /** 6 of clubs */
    NUMBERS_CRUSH_CARD_6C(6),
    /** 7 of clubs */
    NUMBERS_CRUSH_CARD_7C(7),
    /** 8 of clubs */
    NUMBERS_CRUSH_CARD_8C(8),
    /** 9 of clubs */
    NUMBERS_CRUSH_CARD_9C(9),
    /** 10 of clubs */
    NUMBERS_CRUSH_CARD_TC(10),
    /** jack of clubs */
    NUMBERS_CRUSH_CARD_JC(11),
    /** queen of clubs */
    NUMBERS_CRUSH_CARD_QC(12),
    /** king of clubs */
    NUMBERS_CRUSH_CARD_KC(13),
    /** ace of diamonds */
    NUMBERS_CRUSH_CARD_AD(14),
    /** 2 of diamonds */
    NUMBERS_CRUSH_CARD_2D(15),
    /** 3 of diamonds */
    NUMBERS_CRUSH_CARD_3D(16),
    /** 4 of diamonds */
    NUMBERS_CRUSH_CARD_4D(17),
    /** 5 of diamonds */
    NUMBERS_CRUSH_CARD_5D(18),
    /** 6 of diamonds */
    NUMBERS_CRUSH_CARD_6D(19),
    /** 7 of diamonds */
    NUMBERS_CRUSH_CARD_7D(20),
    /** 8 of diamonds */
    NUMBERS_CRUSH_CARD_8D(21),
    /** 9 of diamonds */
    NUMBERS_CRUSH_CARD_9D(22),
    /** 10 of diamonds */
    NUMBERS_CRUSH_CARD_TD(23),
    /** jack of diamonds */
    NUMBERS_CRUSH_CARD_JD(24),
    /** queen of diamonds */
    NUMBERS_CRUSH_CARD_QD(25),
    /** king of diamonds */
    NUMBERS_CRUSH_CARD_KD(26),
    /** ace of hearts */
    NUMBERS_CRUSH_CARD_AH(27),
    /** 2 of hearts */
    NUMBERS_CRUSH_CARD_2H(28),
    /** 3 of hearts */
    NUMBERS_CRUSH_CARD_3H(29),
    /** 4 of hearts */
    NUMBERS_CRUSH_CARD_4H(30),
    /** 5 of hearts */
    NUMBERS_CRUSH_CARD_5H(31),
    /** 6 of hearts */
    NUMBERS_CRUSH_CARD_6H(32),
    /** 7 of hearts */
    NUMBERS_CRUSH_CARD_7H(33),
    /** 8 of hearts */
    NUMBERS_CRUSH_CARD_8H(34),
    /** 9 of hearts */
    NUMBERS_CRUSH_CARD_9H(35),
    /** 10 of hearts */
    NUMBERS_CRUSH_CARD_TH(36),
    /** jack of hearts */
    NUMBERS_CRUSH_CARD_JH(37),
    /** queen of hearts */
    NUMBERS_CRUSH_CARD_QH(38),
    /** king of hearts */
    NUMBERS_CRUSH_CARD_KH(39),
    /** ace of spades */
    NUMBERS_CRUSH_CARD_AS(40),
    /** 2 of spades */
    NUMBERS_CRUSH_CARD_2S(41),
    /** 3 of spades */
    NUMBERS_CRUSH_CARD_3S(42),
    /** 4 of spades */
    NUMBERS_CRUSH_CARD_4S(43),
    /** 5 of spades */
    NUMBERS_CRUSH_CARD_5S(44),
    /** 6 of spades */
    NUMBERS_CRUSH_CARD_6S(45),
    /** 7 of spades */
    NUMBERS_CRUSH_CARD_7S(46),
    /** 8 of spades */
    NUMBERS_CRUSH_CARD_8S(47),
    /** 9 of spades */
    NUMBERS_CRUSH_CARD_9S(48),
    /** 10 of spades */
    NUMBERS_CRUSH_CARD_TS(49),
    /** jack of spades */
    NUMBERS_CRUSH_CARD_JS(50),
    /** queen of spades */
    NUMBERS_CRUSH_CARD_QS(51),
    /** king of spades */
    NUMBERS_CRUSH_CARD_KS(52),
    /** the first joker; as a face: declared "joker" */
    NUMBERS_CRUSH_CARD_X1(53),
    /** the second joker; as a face: declared "joker" */
    NUMBERS_CRUSH_CARD_X2(54),
    /** Only as the face of a joker: an ace, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_A(55),
    /** Only as the face of a joker: a 2, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_2(56),
    /** Only as the face of a joker: a 3, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_3(57),
    /** Only as the face of a joker: a 4, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_4(58),
    /** Only as the face of a joker: a 5, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_5(59),
    /** Only as the face of a joker: a 6, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_6(60),
    /** Only as the face of a joker: a 7, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_7(61),
    /** Only as the face of a joker: an 8, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_8(62),
    /** Only as the face of a joker: a 9, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_9(63),
    /** Only as the face of a joker: a 10, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_T(64),
    /** Only as the face of a joker: a jack, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_J(65),
    /** Only as the face of a joker: a queen, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_Q(66),
    /** Only as the face of a joker: a king, of no suit that matters. */
    NUMBERS_CRUSH_CARD_ANY_K(67),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NumbersCrushCard(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NumbersCrushCard of(int number) {
        return switch (number) {
            case 0 -> NUMBERS_CRUSH_CARD_UNSPECIFIED;
            case 1 -> NUMBERS_CRUSH_CARD_AC;
            case 2 -> NUMBERS_CRUSH_CARD_2C;
            case 3 -> NUMBERS_CRUSH_CARD_3C;
            case 4 -> NUMBERS_CRUSH_CARD_4C;
            case 5 -> NUMBERS_CRUSH_CARD_5C;
            case 6 -> NUMBERS_CRUSH_CARD_6C;
            case 7 -> NUMBERS_CRUSH_CARD_7C;
            case 8 -> NUMBERS_CRUSH_CARD_8C;
            case 9 -> NUMBERS_CRUSH_CARD_9C;
            case 10 -> NUMBERS_CRUSH_CARD_TC;
            case 11 -> NUMBERS_CRUSH_CARD_JC;
            case 12 -> NUMBERS_CRUSH_CARD_QC;
            case 13 -> NUMBERS_CRUSH_CARD_KC;
            case 14 -> NUMBERS_CRUSH_CARD_AD;
            case 15 -> NUMBERS_CRUSH_CARD_2D;
            case 16 -> NUMBERS_CRUSH_CARD_3D;
            case 17 -> NUMBERS_CRUSH_CARD_4D;
            case 18 -> NUMBERS_CRUSH_CARD_5D;
            case 19 -> NUMBERS_CRUSH_CARD_6D;
            case 20 -> NUMBERS_CRUSH_CARD_7D;
            case 21 -> NUMBERS_CRUSH_CARD_8D;
            case 22 -> NUMBERS_CRUSH_CARD_9D;
            case 23 -> NUMBERS_CRUSH_CARD_TD;
            case 24 -> NUMBERS_CRUSH_CARD_JD;
            case 25 -> NUMBERS_CRUSH_CARD_QD;
            case 26 -> NUMBERS_CRUSH_CARD_KD;
            case 27 -> NUMBERS_CRUSH_CARD_AH;
            case 28 -> NUMBERS_CRUSH_CARD_2H;
            case 29 -> NUMBERS_CRUSH_CARD_3H;
            case 30 -> NUMBERS_CRUSH_CARD_4H;
            case 31 -> NUMBERS_CRUSH_CARD_5H;
            case 32 -> NUMBERS_CRUSH_CARD_6H;
            case 33 -> NUMBERS_CRUSH_CARD_7H;
            case 34 -> NUMBERS_CRUSH_CARD_8H;
            case 35 -> NUMBERS_CRUSH_CARD_9H;
            case 36 -> NUMBERS_CRUSH_CARD_TH;
            case 37 -> NUMBERS_CRUSH_CARD_JH;
            case 38 -> NUMBERS_CRUSH_CARD_QH;
            case 39 -> NUMBERS_CRUSH_CARD_KH;
            case 40 -> NUMBERS_CRUSH_CARD_AS;
            case 41 -> NUMBERS_CRUSH_CARD_2S;
            case 42 -> NUMBERS_CRUSH_CARD_3S;
            case 43 -> NUMBERS_CRUSH_CARD_4S;
            case 44 -> NUMBERS_CRUSH_CARD_5S;
            case 45 -> NUMBERS_CRUSH_CARD_6S;
            case 46 -> NUMBERS_CRUSH_CARD_7S;
            case 47 -> NUMBERS_CRUSH_CARD_8S;
            case 48 -> NUMBERS_CRUSH_CARD_9S;
            case 49 -> NUMBERS_CRUSH_CARD_TS;
            case 50 -> NUMBERS_CRUSH_CARD_JS;
            case 51 -> NUMBERS_CRUSH_CARD_QS;
            case 52 -> NUMBERS_CRUSH_CARD_KS;
            case 53 -> NUMBERS_CRUSH_CARD_X1;
            case 54 -> NUMBERS_CRUSH_CARD_X2;
            case 55 -> NUMBERS_CRUSH_CARD_ANY_A;
            case 56 -> NUMBERS_CRUSH_CARD_ANY_2;
            case 57 -> NUMBERS_CRUSH_CARD_ANY_3;
            case 58 -> NUMBERS_CRUSH_CARD_ANY_4;
            case 59 -> NUMBERS_CRUSH_CARD_ANY_5;
            case 60 -> NUMBERS_CRUSH_CARD_ANY_6;
            case 61 -> NUMBERS_CRUSH_CARD_ANY_7;
            case 62 -> NUMBERS_CRUSH_CARD_ANY_8;
            case 63 -> NUMBERS_CRUSH_CARD_ANY_9;
            case 64 -> NUMBERS_CRUSH_CARD_ANY_T;
            case 65 -> NUMBERS_CRUSH_CARD_ANY_J;
            case 66 -> NUMBERS_CRUSH_CARD_ANY_Q;
            case 67 -> NUMBERS_CRUSH_CARD_ANY_K;
            default -> UNRECOGNIZED;
        };
    }
}
