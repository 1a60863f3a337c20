// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Makkaik match.
 *
 * @param kind Exactly one is set.
 */
public record MakkaikEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits MakkaikDealt, MakkaikReceived, MakkaikSwapped, MakkaikDrew, MakkaikSaw,
            MakkaikKept, MakkaikBettingBegan, MakkaikBaseNamed, MakkaikStayed, MakkaikFolded, MakkaikDealerChanged,
            MakkaikShowdown, MakkaikDealEnded {}

    /** Reads one, to its end. */
    public static MakkaikEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = MakkaikDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = MakkaikReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = MakkaikSwapped.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = MakkaikDrew.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = MakkaikSaw.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = MakkaikKept.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = MakkaikBettingBegan.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = MakkaikBaseNamed.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); kind = MakkaikStayed.read(input); input.leave(end); }
                case 10 -> { int end = input.enter(); kind = MakkaikFolded.read(input); input.leave(end); }
                case 11 -> { int end = input.enter(); kind = MakkaikDealerChanged.read(input); input.leave(end); }
                case 12 -> { int end = input.enter(); kind = MakkaikShowdown.read(input); input.leave(end); }
                case 13 -> { int end = input.enter(); kind = MakkaikDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MakkaikEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof MakkaikDealt one) {
            output.message(1, one);
        } else if (kind instanceof MakkaikReceived one) {
            output.message(2, one);
        } else if (kind instanceof MakkaikSwapped one) {
            output.message(3, one);
        } else if (kind instanceof MakkaikDrew one) {
            output.message(4, one);
        } else if (kind instanceof MakkaikSaw one) {
            output.message(5, one);
        } else if (kind instanceof MakkaikKept one) {
            output.message(6, one);
        } else if (kind instanceof MakkaikBettingBegan one) {
            output.message(7, one);
        } else if (kind instanceof MakkaikBaseNamed one) {
            output.message(8, one);
        } else if (kind instanceof MakkaikStayed one) {
            output.message(9, one);
        } else if (kind instanceof MakkaikFolded one) {
            output.message(10, one);
        } else if (kind instanceof MakkaikDealerChanged one) {
            output.message(11, one);
        } else if (kind instanceof MakkaikShowdown one) {
            output.message(12, one);
        } else if (kind instanceof MakkaikDealEnded one) {
            output.message(13, one);
        }
    }
}
