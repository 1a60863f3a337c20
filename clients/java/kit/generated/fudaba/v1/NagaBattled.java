// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A battle was fought.
 *
 * @param place The place.
 * @param played The cards that each seat had committed, one entry per seat.
 * @param prize The table cards that were fought for.
 * @param winner The seat that took them; absent on a tie.
 */
public record NagaBattled(NagaPlace place, List<NagaCards> played, List<NagaCard> prize, Integer winner)
        implements NagaEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NagaBattled read(Input input) throws IOException {
        NagaPlace place = NagaPlace.UNSPECIFIED;
        List<NagaCards> played = new ArrayList<>();
        List<NagaCard> prize = new ArrayList<>();
        Integer winner = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> place = NagaPlace.of(input.int32());
                case 2 -> { int end = input.enter(); played.add(NagaCards.read(input)); input.leave(end); }
                case 3 -> { for (int end = input.pack(); input.more(end);) prize.add(NagaCard.of(input.int32())); }
                case 4 -> winner = input.uint32();
                default -> input.skip();
            }
        }
        return new NagaBattled(place, List.copyOf(played), List.copyOf(prize), winner);
    }

    @Override
    public void write(Output output) throws IOException {
        if (place.number() != 0) output.int32(1, place.number());
        output.messages(2, played);
        output.enums(3, prize);
        if (winner != null) output.uint32(4, winner);
    }
}
