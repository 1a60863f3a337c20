// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A deal ended.
 *
 * @param napoleon Napoleon.
 * @param adjutant The adjutant; Napoleon's own seat if Napoleon played alone.
 * @param honours How many honours Napoleon's side took in tricks.
 * @param won Whether Napoleon's side won.
 * @param swept Whether it lost because it took too much: see the option {@code sweep}.
 * @param buried The buried cards, in deck order.
 * @param scores The scores of this deal, one entry per seat.
 */
public record NapoleonDealEnded(int napoleon, int adjutant, int honours, boolean won, boolean swept,
        List<NapoleonCard> buried, List<Integer> scores) implements NapoleonEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonDealEnded read(Input input) throws IOException {
        int napoleon = 0;
        int adjutant = 0;
        int honours = 0;
        boolean won = false;
        boolean swept = false;
        List<NapoleonCard> buried = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> napoleon = input.uint32();
                case 2 -> adjutant = input.uint32();
                case 3 -> honours = input.uint32();
                case 4 -> won = input.bool();
                case 5 -> swept = input.bool();
                case 6 -> { for (int end = input.pack(); input.more(end);) buried.add(NapoleonCard.of(input.int32())); }
                case 7 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NapoleonDealEnded(napoleon, adjutant, honours, won, swept, List.copyOf(buried), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (napoleon != 0) output.uint32(1, napoleon);
        if (adjutant != 0) output.uint32(2, adjutant);
        if (honours != 0) output.uint32(3, honours);
        if (won) output.bool(4, won);
        if (swept) output.bool(5, swept);
        output.enums(6, buried);
        output.sint32s(7, scores);
    }
}
