// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The bot in a seat.
 *
 * @param bot The bot's name.
 * @param version The bot's version.
 */
public record Player(String bot, String version) implements Writable {
    /** Reads one, to its end. */
    public static Player read(Input input) throws IOException {
        String bot = "";
        String version = "";
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> bot = input.string();
                case 2 -> version = input.string();
                default -> input.skip();
            }
        }
        return new Player(bot, version);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!bot.isEmpty()) output.string(1, bot);
        if (!version.isEmpty()) output.string(2, version);
    }
}
