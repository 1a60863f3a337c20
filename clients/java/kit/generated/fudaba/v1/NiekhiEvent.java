// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Niekhi match.
 *
 * @param kind Exactly one is set.
 */
public record NiekhiEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NiekhiDealt, NiekhiReceived, NiekhiLaid, NiekhiPassed, NiekhiCleared,
            NiekhiDeclined, NiekhiNamed, NiekhiTook, NiekhiDealEnded {}

    /** Reads one, to its end. */
    public static NiekhiEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NiekhiDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NiekhiReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NiekhiLaid.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NiekhiPassed.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NiekhiCleared.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = NiekhiDeclined.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = NiekhiNamed.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = NiekhiTook.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); kind = NiekhiDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NiekhiEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NiekhiDealt one) {
            output.message(1, one);
        } else if (kind instanceof NiekhiReceived one) {
            output.message(2, one);
        } else if (kind instanceof NiekhiLaid one) {
            output.message(3, one);
        } else if (kind instanceof NiekhiPassed one) {
            output.message(4, one);
        } else if (kind instanceof NiekhiCleared one) {
            output.message(5, one);
        } else if (kind instanceof NiekhiDeclined one) {
            output.message(6, one);
        } else if (kind instanceof NiekhiNamed one) {
            output.message(7, one);
        } else if (kind instanceof NiekhiTook one) {
            output.message(8, one);
        } else if (kind instanceof NiekhiDealEnded one) {
            output.message(9, one);
        }
    }
}
