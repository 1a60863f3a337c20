/** Playing: a new match against house bots or friends, or one that goes on. */
import { useLocation } from "preact-iso";
import { language, t } from "~/i18n";
import { Shown } from "~/parts/load";
import { useGames } from "~/parts/games";
import { NewMatch } from "~/parts/play/new_match";
import { Ongoing } from "~/parts/play/ongoing";
import { Player } from "~/parts/play/player";
import { Playing } from "~/parts/play/playing";
import { useTitle } from "~/parts/title";
import "~/parts/match/match.css";
import "~/parts/play/play.css";

export default function Play() {
  const { match = "" } = useLocation().query;
  return match === "" ? <Begin /> : <GoOn matchId={match} />;
}

function GoOn({ matchId }: { matchId: string }) {
  const { route } = useLocation();
  const again = (game: string) => {
    route(`/play?game=${encodeURIComponent(game)}`);
  };
  // What happened is told in the reader's language.
  return <Player>{() => <Playing key={`${matchId} ${language.value}`} matchId={matchId} again={again} />}</Player>;
}

function Begin() {
  const { query, route } = useLocation();
  const games = useGames();
  useTitle(t("play.title"));
  const choose = (id: string) => {
    route(`/play?game=${encodeURIComponent(id)}`, true);
  };
  const created = (id: string) => {
    route(`/play?match=${encodeURIComponent(id)}`);
  };
  return (
    <>
      <h1>{t("play.title")}</h1>
      <Player>
        {({ bot }) => (
          <>
            <Ongoing bot={bot} />
            <Shown loaded={games}>
              {(listed) => {
                const game = listed.find(({ id }) => id === query.game) ?? listed[0];
                if (game === undefined) return null;
                const form = { bot, games: listed, game, opponent: query.opponent ?? "", choose, created };
                return <NewMatch key={game.id} {...form} />;
              }}
            </Shown>
          </>
        )}
      </Player>
    </>
  );
}
