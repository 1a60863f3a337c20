// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seat, or a spectator, knows of a Nerts match: the deal in progress, and the totals.
 *
 * @param deal The number of the deal, from 0.
 * @param tick How many ticks of this deal are complete. It ends after 2000. 0 in real time.
 * @param stockTurns How many turns of the stocks there have been in a row. The third ends the deal.
 * @param idle How many ticks in a row had no found, build or tuck; 60 count as everybody waiting. In real time, how
 *     many movements of all seats together; 400 per seat count as everybody waiting.
 * @param seats What everybody sees of each seat, one entry per seat.
 * @param foundations The foundations, by id.
 * @param waste This seat's waste, the top card last; empty for a spectator.
 * @param chosen This seat's move of this tick, while those of others are missing.
 * @param scores The total so far, one entry per seat; complete deals only.
 */
public record NertsView(int deal, int tick, int stockTurns, int idle, List<NertsSeat> seats,
        List<NertsFoundation> foundations, List<NertsCard> waste, NertsMove chosen, List<Integer> scores)
        implements View.Game, Writable {
    /** Reads one, to its end. */
    public static NertsView read(Input input) throws IOException {
        int deal = 0;
        int tick = 0;
        int stockTurns = 0;
        int idle = 0;
        List<NertsSeat> seats = new ArrayList<>();
        List<NertsFoundation> foundations = new ArrayList<>();
        List<NertsCard> waste = new ArrayList<>();
        NertsMove chosen = null;
        List<Integer> scores = new ArrayList<>();
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> tick = input.uint32();
                case 3 -> stockTurns = input.uint32();
                case 4 -> idle = input.uint32();
                case 5 -> { int end = input.enter(); seats.add(NertsSeat.read(input)); input.leave(end); }
                case 6 -> { int end = input.enter(); foundations.add(NertsFoundation.read(input)); input.leave(end); }
                case 7 -> { for (int end = input.pack(); input.more(end);) waste.add(NertsCard.of(input.int32())); }
                case 8 -> { int end = input.enter(); chosen = NertsMove.read(input); input.leave(end); }
                case 9 -> { for (int end = input.pack(); input.more(end);) scores.add(input.sint32()); }
                default -> input.skip();
            }
        }
        return new NertsView(deal, tick, stockTurns, idle, List.copyOf(seats), List.copyOf(foundations),
                List.copyOf(waste), chosen, List.copyOf(scores));
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (tick != 0) output.uint32(2, tick);
        if (stockTurns != 0) output.uint32(3, stockTurns);
        if (idle != 0) output.uint32(4, idle);
        output.messages(5, seats);
        output.messages(6, foundations);
        output.enums(7, waste);
        output.message(8, chosen);
        output.sint32s(9, scores);
    }
}
