// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat approved or bid.
 *
 * @param seat The seat.
 * @param call What it said.
 */
public record NapoleonCalled(int seat, NapoleonCall call) implements NapoleonEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonCalled read(Input input) throws IOException {
        int seat = 0;
        NapoleonCall call = NapoleonCall.NAPOLEON_CALL_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> call = NapoleonCall.of(input.int32());
                default -> input.skip();
            }
        }
        return new NapoleonCalled(seat, call);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (call.number() != 0) output.int32(2, call.number());
    }
}
