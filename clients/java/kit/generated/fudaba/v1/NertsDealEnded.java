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
 * @param cause Why.
 * @param founded How many cards each seat has on the foundations.
 * @param nertsSizes How many cards each seat's Nerts pile has left.
 * @param scores What the deal scores, one entry per seat.
 */
public record NertsDealEnded(NertsCause cause, List<Integer> founded, List<Integer> nertsSizes, List<Integer> scores)
        implements NertsEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsDealEnded read(Input input) throws IOException {
        NertsCause cause = NertsCause.UNSPECIFIED;
        List<Integer> founded = new ArrayList<>();
        List<Integer> nertsSizes = new ArrayList<>();
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> cause = NertsCause.of(input.int32());
                case 2 -> { for (int end = input.pack(); input.more(end);) founded.add(input.uint32()); }
                case 3 -> { for (int end = input.pack(); input.more(end);) nertsSizes.add(input.uint32()); }
                case 4 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NertsDealEnded(cause, List.copyOf(founded), List.copyOf(nertsSizes), List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (cause.number() != 0) output.int32(1, cause.number());
        output.uint32s(2, founded);
        output.uint32s(3, nertsSizes);
        output.sint32s(4, scores);
    }
}
