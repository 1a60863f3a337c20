// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Napoleon. Text: {@code approve}, {@code bid 14S}, {@code bury 2C 3D}, {@code name AS}, {@code play QH}.
 *
 * @param kind Exactly one kind must be set.
 */
public record NapoleonMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NapoleonApprove, NapoleonBid, NapoleonBury, NapoleonName, NapoleonPlay {}

    /** Reads one, to its end. */
    public static NapoleonMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NapoleonApprove.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NapoleonBid.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NapoleonBury.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NapoleonName.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NapoleonPlay.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NapoleonMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NapoleonApprove one) {
            output.message(1, one);
        } else if (kind instanceof NapoleonBid one) {
            output.message(2, one);
        } else if (kind instanceof NapoleonBury one) {
            output.message(3, one);
        } else if (kind instanceof NapoleonName one) {
            output.message(4, one);
        } else if (kind instanceof NapoleonPlay one) {
            output.message(5, one);
        }
    }
}
