// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Namto match.
 *
 * @param kind Exactly one is set.
 */
public record NamtoEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NamtoDealt, NamtoReceived, NamtoBetMade, NamtoCalled, NamtoFolded,
            NamtoDealerChanged, NamtoOpened, NamtoShowdown, NamtoDealEnded {}

    /** Reads one, to its end. */
    public static NamtoEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NamtoDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NamtoReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NamtoBetMade.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NamtoCalled.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NamtoFolded.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = NamtoDealerChanged.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = NamtoOpened.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = NamtoShowdown.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); kind = NamtoDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NamtoEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NamtoDealt one) {
            output.message(1, one);
        } else if (kind instanceof NamtoReceived one) {
            output.message(2, one);
        } else if (kind instanceof NamtoBetMade one) {
            output.message(3, one);
        } else if (kind instanceof NamtoCalled one) {
            output.message(4, one);
        } else if (kind instanceof NamtoFolded one) {
            output.message(5, one);
        } else if (kind instanceof NamtoDealerChanged one) {
            output.message(6, one);
        } else if (kind instanceof NamtoOpened one) {
            output.message(7, one);
        } else if (kind instanceof NamtoShowdown one) {
            output.message(8, one);
        } else if (kind instanceof NamtoDealEnded one) {
            output.message(9, one);
        }
    }
}
