// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The stock was empty and a card was needed: the vanished cards were shuffled and are the stock now.
 *
 * @param cards The cards, in deck order.
 */
public record MakhopReshuffled(List<KamikisenCard> cards) implements MakhopEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopReshuffled read(Input input) throws IOException {
        List<KamikisenCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MakhopReshuffled(List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
    }
}
