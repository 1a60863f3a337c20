package fudaba.wire;

import java.io.IOException;

/** A message of the contract. */
public interface Writable {
    /** Writes its fields. */
    void write(Output output) throws IOException;
}
