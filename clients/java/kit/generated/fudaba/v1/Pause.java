// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The bot begins no further matches until it resumes; matches that have begun go on. New matches wait as with
 * {@code capacity}. The version stays paused when the stream ends. BotService.PauseBot does the same.
 */
public record Pause() implements PlayRequest.Message, Writable {
    /** Reads one, to its end. */
    public static Pause read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new Pause();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
