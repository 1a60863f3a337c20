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
 * @param delivery What it wants to be told, and in which form.
 * @param seen What it has seen of matches that it played on an earlier stream, at most 1000. Matches that are not named
 *     start from the beginning: with all events, if events are wanted, and the open decision. If a match that is named
 *     has ended in the meantime, the bot is told the end; of one that the service no longer knows it is told nothing.
 *     Of a match that is not named and was over before, the bot is told only how it ended, in an update without
 *     {@code started}: for an hour, on each stream, until it has answered a ping that was sent after that update.
 * @param client The name and version of the client software, for the service's logs. Optional.
 * @param capacity How many matches the bot plays at once; 0 for any number. Further ones wait, without being started:
 *     the bot is told of a match when it has room for it, the oldest first, and nobody's clock runs before. Matches
 *     that have begun go on with every stream, however many they are. It stays in force, also while the bot is away,
 *     until the next {@code hello} of this version. Not for match tokens.
 * @param process Which process of the bot this is: 1 to 40 letters and digits, drawn at random when it starts.
 *     Optional, but it saves the stream where a connection that was given up delivers its {@code hello} late, as of a
 *     machine that stood still: without it the service has only the time to say which of two streams is the newer one,
 *     and that one may end as SUPERSEDED.
 * @param attempt The number of this stream among those that the process has opened, from 1, failed ones included. With
 *     {@code process}.
 * @param batches Whether updates that are ready at the same time may come in one message, {@code updates}. One alone
 *     still comes as {@code update}.
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
