// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts two cards of the hand aside, face down. Nobody takes the honours among them.
 *
 * @param cards Two different cards, in any order.
 */
public record NapoleonBury(List<NapoleonCard> cards) implements NapoleonMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonBury read(Input input) throws IOException {
        List<NapoleonCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) cards.add(NapoleonCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NapoleonBury(List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
    }
}
