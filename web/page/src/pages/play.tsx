/** Playing: a new match against house bots or friends, or one that goes on. */
import { useLocation } from "preact-iso";
import { language, t } from "~/i18n";
import { useGames } from "~/parts/match/games";
import { NewMatch } from "~/parts/play/new_match";
import { Player } from "~/parts/play/player";
import { Playing } from "~/parts/play/playing";
import "~/parts/match/match.css";
import "~/parts/play/play.css";

export default function Play() {
    const { query, route } = useLocation();
    const { match, game: wanted } = query;
    const games = useGames();
    const game = games.find(({ id }) => id === wanted) ?? games[0];
    const choose = (id: string) => {
        route(`/play?game=${encodeURIComponent(id)}`, true);
    };
    if (match !== undefined && match !== "") {
        return (
            <Player>
                {() => (
                    <Playing
                        key={`${match} ${language.value}`}
                        matchId={match}
                        again={(id) => {
                            route(`/play?game=${encodeURIComponent(id)}`);
                        }}
                    />
                )}
            </Player>
        );
    }
    return (
        <>
            <h1>{t("play.title")}</h1>
            <Player>
                {(me) =>
                    game !== undefined && (
                        <NewMatch
                            key={game.id}
                            me={me}
                            games={games}
                            game={game}
                            choose={choose}
                            created={(id) => {
                                route(`/play?match=${encodeURIComponent(id)}`);
                            }}
                        />
                    )
                }
            </Player>
        </>
    );
}
