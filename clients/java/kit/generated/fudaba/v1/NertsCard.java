// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/**
 * A card of the French deck, in deck order: clubs, diamonds, hearts, spades, each from ace to king. The text form is
 * the name without its prefix: rank A 2-9 T J Q K, then suit C D H S. With c = value - 1: suit c / 13 (0 clubs, 1
 * diamonds, 2 hearts, 3 spades), rank c % 13 (0 ace, 1 two, ... 12 king). Diamonds and hearts are red, clubs and spades
 * black.
 */
public enum NertsCard implements Numbered {
    /** Not a card. */
    NERTS_CARD_UNSPECIFIED(0),
    /** ace of clubs */
    NERTS_CARD_AC(1),
    /** 2 of clubs */
    NERTS_CARD_2C(2),
    /** 3 of clubs */
    NERTS_CARD_3C(3),
    /** 4 of clubs */
    NERTS_CARD_4C(4),
    /** 5 of clubs */
    NERTS_CARD_5C(5),
    /** 6 of clubs */
    NERTS_CARD_6C(6),
    /** 7 of clubs */
    NERTS_CARD_7C(7),
    /** 8 of clubs */
    NERTS_CARD_8C(8),
    /** 9 of clubs */
    NERTS_CARD_9C(9),
    /** 10 of clubs */
    NERTS_CARD_TC(10),
    /** jack of clubs */
    NERTS_CARD_JC(11),
    /** queen of clubs */
    NERTS_CARD_QC(12),
    /** king of clubs */
    NERTS_CARD_KC(13),
    /** ace of diamonds */
    NERTS_CARD_AD(14),
    /** 2 of diamonds */
    NERTS_CARD_2D(15),
    /** 3 of diamonds */
    NERTS_CARD_3D(16),
    /** 4 of diamonds */
    NERTS_CARD_4D(17),
    /** 5 of diamonds */
    NERTS_CARD_5D(18),
    /** 6 of diamonds */
    NERTS_CARD_6D(19),
    /** 7 of diamonds */
    NERTS_CARD_7D(20),
    /** 8 of diamonds */
    NERTS_CARD_8D(21),
    /** 9 of diamonds */
    NERTS_CARD_9D(22),
    /** 10 of diamonds */
    NERTS_CARD_TD(23),
    /** jack of diamonds */
    NERTS_CARD_JD(24),
    /** queen of diamonds */
    NERTS_CARD_QD(25),
    /** king of diamonds */
    NERTS_CARD_KD(26),
    /** ace of hearts */
    NERTS_CARD_AH(27),
    /** 2 of hearts */
    NERTS_CARD_2H(28),
    /** 3 of hearts */
    NERTS_CARD_3H(29),
    /** 4 of hearts */
    NERTS_CARD_4H(30),
    /** 5 of hearts */
    NERTS_CARD_5H(31),
    /** 6 of hearts */
    NERTS_CARD_6H(32),
    /** 7 of hearts */
    NERTS_CARD_7H(33),
    /** 8 of hearts */
    NERTS_CARD_8H(34),
    /** 9 of hearts */
    NERTS_CARD_9H(35),
    /** 10 of hearts */
    NERTS_CARD_TH(36),
    /** jack of hearts */
    NERTS_CARD_JH(37),
    /** queen of hearts */
    NERTS_CARD_QH(38),
    /** king of hearts */
    NERTS_CARD_KH(39),
    /** ace of spades */
    NERTS_CARD_AS(40),
    /** 2 of spades */
    NERTS_CARD_2S(41),
    /** 3 of spades */
    NERTS_CARD_3S(42),
    /** 4 of spades */
    NERTS_CARD_4S(43),
    /** 5 of spades */
    NERTS_CARD_5S(44),
    /** 6 of spades */
    NERTS_CARD_6S(45),
    /** 7 of spades */
    NERTS_CARD_7S(46),
    /** 8 of spades */
    NERTS_CARD_8S(47),
    /** 9 of spades */
    NERTS_CARD_9S(48),
    /** 10 of spades */
    NERTS_CARD_TS(49),
    /** jack of spades */
    NERTS_CARD_JS(50),
    /** queen of spades */
    NERTS_CARD_QS(51),
    /** king of spades */
    NERTS_CARD_KS(52),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NertsCard(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NertsCard of(int number) {
        return switch (number) {
            case 0 -> NERTS_CARD_UNSPECIFIED;
            case 1 -> NERTS_CARD_AC;
            case 2 -> NERTS_CARD_2C;
            case 3 -> NERTS_CARD_3C;
            case 4 -> NERTS_CARD_4C;
            case 5 -> NERTS_CARD_5C;
            case 6 -> NERTS_CARD_6C;
            case 7 -> NERTS_CARD_7C;
            case 8 -> NERTS_CARD_8C;
            case 9 -> NERTS_CARD_9C;
            case 10 -> NERTS_CARD_TC;
            case 11 -> NERTS_CARD_JC;
            case 12 -> NERTS_CARD_QC;
            case 13 -> NERTS_CARD_KC;
            case 14 -> NERTS_CARD_AD;
            case 15 -> NERTS_CARD_2D;
            case 16 -> NERTS_CARD_3D;
            case 17 -> NERTS_CARD_4D;
            case 18 -> NERTS_CARD_5D;
            case 19 -> NERTS_CARD_6D;
            case 20 -> NERTS_CARD_7D;
            case 21 -> NERTS_CARD_8D;
            case 22 -> NERTS_CARD_9D;
            case 23 -> NERTS_CARD_TD;
            case 24 -> NERTS_CARD_JD;
            case 25 -> NERTS_CARD_QD;
            case 26 -> NERTS_CARD_KD;
            case 27 -> NERTS_CARD_AH;
            case 28 -> NERTS_CARD_2H;
            case 29 -> NERTS_CARD_3H;
            case 30 -> NERTS_CARD_4H;
            case 31 -> NERTS_CARD_5H;
            case 32 -> NERTS_CARD_6H;
            case 33 -> NERTS_CARD_7H;
            case 34 -> NERTS_CARD_8H;
            case 35 -> NERTS_CARD_9H;
            case 36 -> NERTS_CARD_TH;
            case 37 -> NERTS_CARD_JH;
            case 38 -> NERTS_CARD_QH;
            case 39 -> NERTS_CARD_KH;
            case 40 -> NERTS_CARD_AS;
            case 41 -> NERTS_CARD_2S;
            case 42 -> NERTS_CARD_3S;
            case 43 -> NERTS_CARD_4S;
            case 44 -> NERTS_CARD_5S;
            case 45 -> NERTS_CARD_6S;
            case 46 -> NERTS_CARD_7S;
            case 47 -> NERTS_CARD_8S;
            case 48 -> NERTS_CARD_9S;
            case 49 -> NERTS_CARD_TS;
            case 50 -> NERTS_CARD_JS;
            case 51 -> NERTS_CARD_QS;
            case 52 -> NERTS_CARD_KS;
            default -> UNRECOGNIZED;
        };
    }
}
