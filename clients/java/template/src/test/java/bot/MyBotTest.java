package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fudaba.Decision;
import fudaba.v1.Move;
import fudaba.v1.NagaCard;
import fudaba.v1.NagaCommit;
import fudaba.v1.NagaMove;
import fudaba.v1.NagaPlace;
import fudaba.v1.NagaView;
import fudaba.v1.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MyBotTest {
    @Test
    void itTakesTheBetterHand() {
        assertEquals(1, chosen("D1 L3 W5", "F1 F5 F7"), "a flush beats a pair");
        assertEquals(1, chosen("L3 A3 W5", "MI MC E3"), "two moons make four of a kind");
        assertEquals(0, chosen("D7 L1 W5", "E7 A1 W5"), "trump counts more");
    }

    @Test
    void itHasALegalMoveInEveryOtherGame() {
        Decision decision = decision(null, Collections.nCopies(3, new Move(null)));
        for (int time = 0; time < 100; time++) {
            assertTrue(List.of(0, 1, 2).contains(new MyBot().choose(decision)));
        }
    }

    /** Which it chooses at Kuto, where trump is dark and F3 lies. */
    private static int chosen(String... choices) {
        List<NagaCard> table = new ArrayList<>(Collections.nCopies(9, NagaCard.UNSPECIFIED));
        table.set(0, NagaCard.F3);
        NagaView view = new NagaView(0, 0, 0, NagaPlace.KUTO, 0, table, List.of(), List.of(), List.of(), List.of(), 0,
                List.of());
        return new MyBot().choose(decision(new View(view), Stream.of(choices).map(MyBotTest::commit).toList()));
    }

    private static Move commit(String cards) {
        return new Move(new NagaMove(new NagaCommit(Stream.of(cards.split(" ")).map(NagaCard::valueOf).toList())));
    }

    private static Decision decision(View view, List<Move> moves) {
        return new Decision(null, new fudaba.v1.Decision("1", true, view, moves.size(), moves, List.of(), 1000, 0),
                List.of());
    }
}
