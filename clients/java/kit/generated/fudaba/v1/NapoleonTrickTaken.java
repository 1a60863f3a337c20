// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A trick is complete.
 *
 * @param winner The seat that takes its honours and leads to the next.
 * @param cards The five cards, in the order of play.
 */
public record NapoleonTrickTaken(int winner, List<NapoleonCard> cards) implements NapoleonEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonTrickTaken read(Input input) throws IOException {
        int winner = 0;
        List<NapoleonCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> winner = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) cards.add(NapoleonCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new NapoleonTrickTaken(winner, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (winner != 0) output.uint32(1, winner);
        output.enums(2, cards);
    }
}
