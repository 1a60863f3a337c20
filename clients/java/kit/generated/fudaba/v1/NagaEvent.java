// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Naga match.
 *
 * @param kind Exactly one is set.
 */
public record NagaEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NagaDealt, NagaReceived, NagaDesignated, NagaBattled, NagaDealEnded {}

    /** Reads one, to its end. */
    public static NagaEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NagaDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NagaReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NagaDesignated.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NagaBattled.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NagaDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NagaEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NagaDealt one) {
            output.message(1, one);
        } else if (kind instanceof NagaReceived one) {
            output.message(2, one);
        } else if (kind instanceof NagaDesignated one) {
            output.message(3, one);
        } else if (kind instanceof NagaBattled one) {
            output.message(4, one);
        } else if (kind instanceof NagaDealEnded one) {
            output.message(5, one);
        }
    }
}
