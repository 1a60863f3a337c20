// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Numbered;

/** A place of the table. Eltam (4) holds three cards, every other place one. */
public enum NagaPlace implements Numbered {
    /** Not a place. Refused where a place is expected. */
    UNSPECIFIED(0),
    /** クート Kuto; trump is dark. */
    KUTO(1),
    /** オノトア Onotoa; trump is fire. */
    ONOTOA(2),
    /** アヴォリア Avoria; trump is wood. */
    AVORIA(3),
    /** エルタム Eltam; trump is water. It is never designated: its battle is the last one. */
    ELTAM(4),
    /** シーリタス Siritas; trump is earth. */
    SIRITAS(5),
    /** チェレス Cheres; trump is light. */
    CHERES(6),
    /** エイル Eil; trump is wind. */
    EIL(7),
    /** One that a later release has added. */
    UNRECOGNIZED(-1);

    private final int number;

    NagaPlace(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** The one of a number. */
    public static NagaPlace of(int number) {
        return switch (number) {
            case 0 -> UNSPECIFIED;
            case 1 -> KUTO;
            case 2 -> ONOTOA;
            case 3 -> AVORIA;
            case 4 -> ELTAM;
            case 5 -> SIRITAS;
            case 6 -> CHERES;
            case 7 -> EIL;
            default -> UNRECOGNIZED;
        };
    }
}
