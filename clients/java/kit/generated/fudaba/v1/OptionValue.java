// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The value of one option of a game.
 *
 * @param value Exactly one must be set, of the type that the catalogue gives for the option.
 */
public record OptionValue(Value value) implements Writable {
    /** What may stand in {@code value}. */
    public sealed interface Value permits OptionValue.Number, OptionValue.Flag, OptionValue.Choice {}

    /** A whole number. */
    public record Number(long value) implements Value {}

    /** Yes or no. */
    public record Flag(boolean value) implements Value {}

    /** One of the names that the catalogue lists. */
    public record Choice(String value) implements Value {}

    /** Reads one, to its end. */
    public static OptionValue read(Input input) throws IOException {
        Value value = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> value = new Number(input.sint64());
                case 2 -> value = new Flag(input.bool());
                case 3 -> value = new Choice(input.string());
                default -> input.skip();
            }
        }
        return new OptionValue(value);
    }

    @Override
    public void write(Output output) throws IOException {
        if (value instanceof Number one) {
            output.sint64(1, one.value());
        } else if (value instanceof Flag one) {
            output.bool(2, one.value());
        } else if (value instanceof Choice one) {
            output.string(3, one.value());
        }
    }
}
