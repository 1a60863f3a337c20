// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Napoleon match.
 *
 * @param kind Exactly one is set.
 */
public record NapoleonEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NapoleonDealt, NapoleonReceived, NapoleonCalled, NapoleonThrownIn,
            NapoleonStood, NapoleonBuried, NapoleonNamed, NapoleonPlayed, NapoleonRevealed, NapoleonTrickTaken,
            NapoleonDealEnded {}

    /** Reads one, to its end. */
    public static NapoleonEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NapoleonDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NapoleonReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NapoleonCalled.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NapoleonThrownIn.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NapoleonStood.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = NapoleonBuried.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = NapoleonNamed.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = NapoleonPlayed.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); kind = NapoleonRevealed.read(input); input.leave(end); }
                case 10 -> { int end = input.enter(); kind = NapoleonTrickTaken.read(input); input.leave(end); }
                case 11 -> { int end = input.enter(); kind = NapoleonDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NapoleonEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NapoleonDealt one) {
            output.message(1, one);
        } else if (kind instanceof NapoleonReceived one) {
            output.message(2, one);
        } else if (kind instanceof NapoleonCalled one) {
            output.message(3, one);
        } else if (kind instanceof NapoleonThrownIn one) {
            output.message(4, one);
        } else if (kind instanceof NapoleonStood one) {
            output.message(5, one);
        } else if (kind instanceof NapoleonBuried one) {
            output.message(6, one);
        } else if (kind instanceof NapoleonNamed one) {
            output.message(7, one);
        } else if (kind instanceof NapoleonPlayed one) {
            output.message(8, one);
        } else if (kind instanceof NapoleonRevealed one) {
            output.message(9, one);
        } else if (kind instanceof NapoleonTrickTaken one) {
            output.message(10, one);
        } else if (kind instanceof NapoleonDealEnded one) {
            output.message(11, one);
        }
    }
}
