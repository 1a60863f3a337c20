// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/** Does not bid this time. The seat may bid when its turn comes again. */
public record NapoleonApprove() implements NapoleonMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonApprove read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new NapoleonApprove();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
