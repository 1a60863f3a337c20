// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A round began; the table is clear.
 *
 * @param round The number of the round, from 0.
 * @param leader The seat that leads.
 * @param drawn How many cards it drew: two, or as many as there were.
 */
public record HouniekRoundBegan(int round, int leader, int drawn) implements HouniekEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static HouniekRoundBegan read(Input input) throws IOException {
        int round = 0;
        int leader = 0;
        int drawn = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> round = input.uint32();
                case 2 -> leader = input.uint32();
                case 3 -> drawn = input.uint32();
                default -> input.skip();
            }
        }
        return new HouniekRoundBegan(round, leader, drawn);
    }

    @Override
    public void write(Output output) throws IOException {
        if (round != 0) output.uint32(1, round);
        if (leader != 0) output.uint32(2, leader);
        if (drawn != 0) output.uint32(3, drawn);
    }
}
