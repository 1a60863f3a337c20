// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The stream is ready.
 *
 * @param bot The bot that the token belongs to.
 * @param version Its version.
 * @param serviceVersion The version of the service.
 * @param batches Whether the service takes {@code answers}, and sends {@code updates} if {@code hello} asked for them.
 *     An earlier release does neither, and refuses {@code answers} as MALFORMED.
 * @param notice A line for the bot's author, in English, which a client writes to its log: which maintenance is under
 *     way or begins within seven days. Empty if there is none, or if the token is for one match. Of 600 characters at
 *     most.
 */
public record Welcome(String bot, String version, String serviceVersion, boolean batches, String notice)
        implements PlayResponse.Message, Writable {
    /** Reads one, to its end. */
    public static Welcome read(Input input) throws IOException {
        String bot = "";
        String version = "";
        String serviceVersion = "";
        boolean batches = false;
        String notice = "";
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> bot = input.string();
                case 2 -> version = input.string();
                case 3 -> serviceVersion = input.string();
                case 4 -> batches = input.bool();
                case 5 -> notice = input.string();
                default -> input.skip();
            }
        }
        return new Welcome(bot, version, serviceVersion, batches, notice);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!bot.isEmpty()) output.string(1, bot);
        if (!version.isEmpty()) output.string(2, version);
        if (!serviceVersion.isEmpty()) output.string(3, serviceVersion);
        if (batches) output.bool(4, batches);
        if (!notice.isEmpty()) output.string(5, notice);
    }
}
