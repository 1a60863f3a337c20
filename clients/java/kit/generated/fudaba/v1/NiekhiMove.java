// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Niekhi. Text: {@code pass}, {@code single 7}, {@code set 3 3 3}, {@code run 3 4 5},
 * {@code stairs 1 1 2 2 3 3}, {@code decline}, {@code name 1 7}, {@code take S 8}, cards in any order. Where ships
 * leave open what the cards count as, that follows: {@code single S as K}, {@code run S 3 4 as 3-5},
 * {@code stairs S S 1 1 2 2 as 0-2}.
 *
 * @param kind Exactly one kind must be set.
 */
public record NiekhiMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NiekhiPass, NiekhiLay, NiekhiDecline, NiekhiName, NiekhiTake {}

    /** Reads one, to its end. */
    public static NiekhiMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NiekhiPass.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NiekhiLay.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NiekhiDecline.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NiekhiName.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NiekhiTake.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NiekhiMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NiekhiPass one) {
            output.message(1, one);
        } else if (kind instanceof NiekhiLay one) {
            output.message(2, one);
        } else if (kind instanceof NiekhiDecline one) {
            output.message(3, one);
        } else if (kind instanceof NiekhiName one) {
            output.message(4, one);
        } else if (kind instanceof NiekhiTake one) {
            output.message(5, one);
        }
    }
}
