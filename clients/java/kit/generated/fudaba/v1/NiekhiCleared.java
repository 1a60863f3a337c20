// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The table was cleared: its cards went to the discard pile, those of named strengths out of the game.
 *
 * @param leader The seat that laid last. It leads.
 */
public record NiekhiCleared(int leader) implements NiekhiEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NiekhiCleared read(Input input) throws IOException {
        int leader = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> leader = input.uint32();
                default -> input.skip();
            }
        }
        return new NiekhiCleared(leader);
    }

    @Override
    public void write(Output output) throws IOException {
        if (leader != 0) output.uint32(1, leader);
    }
}
