// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Naga. Text: {@code designate 3}, or {@code commit D7 A1 T3}.
 *
 * @param kind Exactly one kind must be set.
 */
public record NagaMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NagaDesignate, NagaCommit {}

    /** Reads one, to its end. */
    public static NagaMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NagaDesignate.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NagaCommit.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NagaMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NagaDesignate one) {
            output.message(1, one);
        } else if (kind instanceof NagaCommit one) {
            output.message(2, one);
        }
    }
}
