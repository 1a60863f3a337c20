// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import com.google.protobuf.ByteString;
import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What is fixed when a match is created.
 *
 * @param matchId The match's id.
 * @param game The game's id.
 * @param rulesVersion The version of the game's rules.
 * @param options Every option of the game, defaults included.
 * @param players The bots, in the order of the seats.
 * @param clock The clock.
 * @param commitment SHA-256("fudaba-commit-v1" || salt || seed || match id, UTF-8).
 * @param createTime When the match was created.
 * @param label Free text from the creator, for example a tournament's name.
 * @param unlisted Whether only the organiser and the players who have a bot in the match find it on their lists.
 * @param namesHidden Whether a seat learns nobody else's name in play, and others no name as long as the match is
 *     hidden: {@code bot} and {@code version} of such players are empty. Its record has all names.
 */
public record MatchHeader(String matchId, String game, int rulesVersion, List<MatchHeaderOptionsEntry> options,
        List<Player> players, Clock clock, ByteString commitment, fudaba.google.Timestamp createTime, String label,
        boolean unlisted, boolean namesHidden) implements Writable {
    /** Reads one, to its end. */
    public static MatchHeader read(Input input) throws IOException {
        String matchId = "";
        String game = "";
        int rulesVersion = 0;
        List<MatchHeaderOptionsEntry> options = new ArrayList<>();
        List<Player> players = new ArrayList<>();
        Clock clock = null;
        ByteString commitment = ByteString.EMPTY;
        fudaba.google.Timestamp createTime = null;
        String label = "";
        boolean unlisted = false;
        boolean namesHidden = false;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> matchId = input.string();
                case 2 -> game = input.string();
                case 3 -> rulesVersion = input.uint32();
                case 4 -> { int end = input.enter(); options.add(MatchHeaderOptionsEntry.read(input)); input.leave(end);
                        }
                case 5 -> { int end = input.enter(); players.add(Player.read(input)); input.leave(end); }
                case 6 -> { int end = input.enter(); clock = Clock.read(input); input.leave(end); }
                case 7 -> commitment = input.bytes();
                case 8 -> { int end = input.enter(); createTime = fudaba.google.Timestamp.read(input); input.leave(end);
                        }
                case 9 -> label = input.string();
                case 10 -> unlisted = input.bool();
                case 11 -> namesHidden = input.bool();
                default -> input.skip();
            }
        }
        return new MatchHeader(matchId, game, rulesVersion, List.copyOf(options), List.copyOf(players), clock,
                commitment, createTime, label, unlisted, namesHidden);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!matchId.isEmpty()) output.string(1, matchId);
        if (!game.isEmpty()) output.string(2, game);
        if (rulesVersion != 0) output.uint32(3, rulesVersion);
        output.messages(4, options);
        output.messages(5, players);
        output.message(6, clock);
        if (!commitment.isEmpty()) output.bytes(7, commitment);
        output.message(8, createTime);
        if (!label.isEmpty()) output.string(9, label);
        if (unlisted) output.bool(10, unlisted);
        if (namesHidden) output.bool(11, namesHidden);
    }
}
