package bot;

import fudaba.Bot;
import fudaba.Decision;
import fudaba.Fudaba;
import fudaba.v1.NagaPlace;
import fudaba.v1.NagaView;
import java.util.concurrent.ThreadLocalRandom;

/** Plays Naga by a small strategy, and a random legal move in every other game. */
public final class MyBot implements Bot {
    /** What it knows is in {@code decision.view()}: a record of fudaba/generated/fudaba/v1. */
    @Override
    public int choose(Decision decision) {
        if (decision.view() instanceof NagaView view && view.place() != NagaPlace.UNSPECIFIED) {
            return Naga.bestHand(view, decision.legalMoves());
        }
        return ThreadLocalRandom.current().nextInt(decision.legalCount());
    }

    public static void main(String[] arguments) {
        Fudaba.run(match -> new MyBot());
    }
}
