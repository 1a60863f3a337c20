// Made by clients/java/generate from the contract; not to be changed.
package fudaba.google;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

public record ErrorInfoMetadataEntry(String key, String value) implements Writable {
    /** Reads one, to its end. */
    public static ErrorInfoMetadataEntry read(Input input) throws IOException {
        String key = "";
        String value = "";
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> key = input.string();
                case 2 -> value = input.string();
                default -> input.skip();
            }
        }
        return new ErrorInfoMetadataEntry(key, value);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!key.isEmpty()) output.string(1, key);
        if (!value.isEmpty()) output.string(2, value);
    }
}
