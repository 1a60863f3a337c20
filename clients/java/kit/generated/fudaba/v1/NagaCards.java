// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Some cards, in deck order.
 *
 * @param cards The cards.
 */
public record NagaCards(List<NagaCard> cards) implements Writable {
    /** Reads one, to its end. */
    public static NagaCards read(Input input) throws IOException {
        List<NagaCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) cards.add(NagaCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NagaCards(List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
    }
}
