// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * News of several matches, or several updates of one match. The service does not wait to collect updates: it sends
 * together those that are ready at once.
 *
 * @param updates In the order in which the updates would have come one by one, including those of the same match.
 */
public record SeatUpdates(List<SeatUpdate> updates) implements PlayResponse.Message, Writable {
    /** Reads one, to its end. */
    public static SeatUpdates read(Input input) throws IOException {
        List<SeatUpdate> updates = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); updates.add(SeatUpdate.read(input)); input.leave(end); }
                default -> input.skip();
            }
        }
        return new SeatUpdates(List.copyOf(updates));
    }

    @Override
    public void write(Output output) throws IOException {
        output.messages(1, updates);
    }
}
