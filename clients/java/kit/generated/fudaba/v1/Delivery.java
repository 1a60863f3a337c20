// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * What a seat receives, and in which form.
 *
 * @param legalMoves The form of its legal moves.
 * @param events When it gets events.
 * @param acknowledge Whether the service acknowledges each answer with a separate message as soon as it is stored.
 *     Otherwise the match's next update acknowledges it: the service shows nothing before it is stored.
 * @param views Whether each update includes the seat's view, even an update without a decision.
 */
public record Delivery(LegalMoveFormat legalMoves, EventDelivery events, boolean acknowledge, boolean views)
        implements Writable {
    /** Reads one, to its end. */
    public static Delivery read(Input input) throws IOException {
        LegalMoveFormat legalMoves = LegalMoveFormat.UNSPECIFIED;
        EventDelivery events = EventDelivery.UNSPECIFIED;
        boolean acknowledge = false;
        boolean views = false;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> legalMoves = LegalMoveFormat.of(input.int32());
                case 2 -> events = EventDelivery.of(input.int32());
                case 3 -> acknowledge = input.bool();
                case 4 -> views = input.bool();
                default -> input.skip();
            }
        }
        return new Delivery(legalMoves, events, acknowledge, views);
    }

    @Override
    public void write(Output output) throws IOException {
        if (legalMoves.number() != 0) output.int32(1, legalMoves.number());
        if (events.number() != 0) output.int32(2, events.number());
        if (acknowledge) output.bool(3, acknowledge);
        if (views) output.bool(4, views);
    }
}
