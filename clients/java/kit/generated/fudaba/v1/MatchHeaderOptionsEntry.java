// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

public record MatchHeaderOptionsEntry(String key, OptionValue value) implements Writable {
    /** Reads one, to its end. */
    public static MatchHeaderOptionsEntry read(Input input) throws IOException {
        String key = "";
        OptionValue value = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> key = input.string();
                case 2 -> { int end = input.enter(); value = OptionValue.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MatchHeaderOptionsEntry(key, value);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!key.isEmpty()) output.string(1, key);
        output.message(2, value);
    }
}
