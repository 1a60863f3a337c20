// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Makhop. Text: {@code open}, {@code extend 0 r1 b2 r3}, {@code join 0 1 r2}, {@code clear rK}. The last
 * card is the new end of the road.
 *
 * @param kind Exactly one kind must be set.
 */
public record MakhopMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits MakhopOpen, MakhopExtend, MakhopJoin, MakhopClear {}

    /** Reads one, to its end. */
    public static MakhopMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = MakhopOpen.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = MakhopExtend.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = MakhopJoin.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = MakhopClear.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MakhopMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof MakhopOpen one) {
            output.message(1, one);
        } else if (kind instanceof MakhopExtend one) {
            output.message(2, one);
        } else if (kind instanceof MakhopJoin one) {
            output.message(3, one);
        } else if (kind instanceof MakhopClear one) {
            output.message(4, one);
        }
    }
}
