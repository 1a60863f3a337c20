package fudaba.wire;

/** A value of an enum of the contract. */
public interface Numbered {
    /** Its number in the contract. */
    int number();
}
