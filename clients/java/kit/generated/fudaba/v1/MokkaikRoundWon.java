// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A round is complete.
 *
 * @param winner The seat with the strongest meld. It leads to the next round.
 * @param cards The cards that it keeps face up, in deck order.
 */
public record MokkaikRoundWon(int winner, List<KamikisenCard> cards) implements MokkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MokkaikRoundWon read(Input input) throws IOException {
        int winner = 0;
        List<KamikisenCard> cards = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> winner = input.uint32();
                case 2 -> { for (int end = input.pack(); input.more(end);) cards.add(KamikisenCard.of(input.int32())); }
                default -> input.skip();
            }
        }
        return new MokkaikRoundWon(winner, List.copyOf(cards));
    }

    @Override
    public void write(Output output) throws IOException {
        if (winner != 0) output.uint32(1, winner);
        output.enums(2, cards);
    }
}
