// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Names strengths: all cards of them leave the game, from every hand and from the discard pile at once, from the table
 * when it is cleared.
 *
 * @param strengths As many different ones as generals were laid, in any order. A strength that has left the game may be
 *     named again.
 */
public record NiekhiName(List<KamikisenStrength> strengths) implements NiekhiMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NiekhiName read(Input input) throws IOException {
        List<KamikisenStrength> strengths = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);)
                        strengths.add(KamikisenStrength.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NiekhiName(List.copyOf(strengths));
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, strengths);
    }
}
