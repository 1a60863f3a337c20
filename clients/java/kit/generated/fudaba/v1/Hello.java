// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Introduces a bot's process. It must come within 20 seconds.
 *
 * @param delivery What it wants to receive, and in which form.
 * @param seen What it has seen of matches that it played on an earlier stream, at most 1000. A match that is not listed
 *     starts from the beginning: with all events, if events are wanted, and the open decision. If a listed match has
 *     ended in the meantime, the service sends the end; it sends nothing about a listed match that it no longer knows.
 *     For a match that is not listed and was already over, the service sends only how it ended, in an update without
 *     {@code started}. It repeats this update for an hour, on each stream, until the bot has answered a ping that was
 *     sent after it.
 * @param client The name and version of the client software, for the service's logs. Optional.
 * @param capacity How many matches the bot plays at once; 0 for any number. Further matches wait and are not started.
 *     The service announces a match when the bot has room for it, the oldest first, and no clock of the match runs
 *     before. Matches that have begun go on with every stream, however many there are. The capacity stays in force,
 *     even while the bot is away, until the next {@code hello} of this version. Not for match tokens.
 * @param process Identifies the bot's process: 1 to 40 letters and digits, drawn at random when the process starts.
 *     Optional. It helps when a connection that was given up delivers its {@code hello} late, for example from a
 *     machine that stood still. Without it the service has only the time to tell which of two streams is newer, and may
 *     end the newer one as SUPERSEDED.
 * @param attempt The number of this stream among all streams that the process has opened, from 1, including failed
 *     ones. Set it together with {@code process}.
 * @param batches Whether updates that are ready at the same time may come in one message, {@code updates}. A single
 *     update still comes as {@code update}.
 */
public record Hello(Delivery delivery, List<Seen> seen, String client, int capacity, String process, int attempt,
        boolean batches) implements PlayRequest.Message, Writable {
    /** Reads one, to its end. */
    public static Hello read(Input input) throws IOException {
        Delivery delivery = null;
        List<Seen> seen = new ArrayList<>();
        String client = "";
        int capacity = 0;
        String process = "";
        int attempt = 0;
        boolean batches = false;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); delivery = Delivery.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); seen.add(Seen.read(input)); input.leave(end); }
                case 3 -> client = input.string();
                case 4 -> capacity = input.uint32();
                case 5 -> process = input.string();
                case 6 -> attempt = input.uint32();
                case 7 -> batches = input.bool();
                default -> input.skip();
            }
        }
        return new Hello(delivery, List.copyOf(seen), client, capacity, process, attempt, batches);
    }

    @Override
    public void write(Output output) throws IOException {
        output.message(1, delivery);
        output.messages(2, seen);
        if (!client.isEmpty()) output.string(3, client);
        if (capacity != 0) output.uint32(4, capacity);
        if (!process.isEmpty()) output.string(5, process);
        if (attempt != 0) output.uint32(6, attempt);
        if (batches) output.bool(7, batches);
    }
}
