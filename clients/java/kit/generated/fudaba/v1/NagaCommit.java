// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses cards of this seat's hand for the battle, face down until both seats have chosen.
 *
 * @param cards The cards, in any order, none twice.
 */
public record NagaCommit(List<NagaCard> cards) implements NagaMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NagaCommit read(Input input) throws IOException {
        List<NagaCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { for (int end = input.pack(); input.more(end);) cards.add(NagaCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NagaCommit(List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        output.enums(1, cards);
    }
}
