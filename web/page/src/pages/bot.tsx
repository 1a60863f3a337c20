/** A bot: how its versions stand, how it behaves, whom it meets. */
import { lazy, useRoute } from "preact-iso";
import { useCallback, useMemo } from "preact/hooks";
import { matches } from "~/api/matches";
import { EntrantKind } from "~/gen/fudaba/v1/arena_pb";
import type { Match } from "~/gen/fudaba/v1/matches_pb";
import { type MessageKey, t } from "~/i18n";
import { gameName } from "~/parts/games";
import { Against } from "~/parts/bot/against";
import { Behaviour } from "~/parts/bot/behaviour";
import { type InLadder, type Part, loadPart } from "~/parts/bot/load";
import { Opponents } from "~/parts/bot/opponents";
import { Placings } from "~/parts/bot/placings";
import { Above } from "~/parts/ladder/heading";
import { TournamentStateTag } from "~/parts/ladder/states";
import { RatingHistory } from "~/parts/ladder/history";
import { MatchList } from "~/parts/ladder/matches";
import { nameOf } from "~/parts/ladder/names";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { LooksLike } from "~/parts/looks_like";
import { Term } from "~/parts/term";
import { useTitle } from "~/parts/title";
import "~/parts/bot/bot.css";

const Casual = lazy(() => import("~/parts/bot/casual"));

/** Opponents are counted in these, and the newest of them listed. */
const MAX_MATCHES = 200;
const MAX_LISTED_MATCHES = 12;

const KINDS: Partial<Record<EntrantKind, [MessageKey, MessageKey]>> = {
  [EntrantKind.BUILTIN]: ["ladder.kindBuiltin", "ladder.kindBuiltinMeans"],
  [EntrantKind.COMMAND]: ["ladder.kindCommand", "ladder.kindCommandMeans"],
  [EntrantKind.REMOTE]: ["ladder.kindRemote", "ladder.kindRemoteMeans"],
  [EntrantKind.SUBMITTED]: ["ladder.kindSubmitted", "ladder.kindSubmittedMeans"],
};

/** How the names of the service's own bots begin. */
const HOUSE = "house-";

export default function Bot() {
  const { params } = useRoute();
  const bot = params.bot ?? "";
  useTitle(bot, t("ladder.bots"));
  const part = useLoad(
    useCallback((signal: AbortSignal) => loadPart((entrant) => nameOf(entrant.bot) === bot, signal), [bot]),
  );
  const last = useLoad(
    useCallback((signal: AbortSignal) => matches.listMatches({ bot, pageSize: MAX_MATCHES }, { signal }), [bot]),
  );
  return (
    <>
      <Above />
      <h1>{bot}</h1>
      <Shown loaded={part}>{(value) => <Standing bot={bot} part={value} />}</Shown>
      <Shown loaded={last}>
        {({ matches: newest }) => (
          <>
            <Tables bot={bot} matches={newest} />
            <Opponents bot={bot} matches={newest} />
            <h2>{t("ladder.lastMatches")}</h2>
            <MatchList matches={newest.slice(0, MAX_LISTED_MATCHES)} caption={t("ladder.lastMatches")} />
            {newest.length > MAX_LISTED_MATCHES && (
              <p>
                <a href={`/matches?bot=${bot}`}>{t("ladder.allMatches")}</a>
              </p>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

/** Where the bot waits for anybody who sits down: its author has opened these tables. */
function Tables({ bot, matches: newest }: { bot: string; matches: readonly Match[] }) {
  const waiting = newest.filter(({ seats }) => seats.some(({ to }) => to.case === "open"));
  if (waiting.length === 0) return null;
  return (
    <section class="notice" aria-labelledby="bot-tables">
      <p id="bot-tables">{t("ladder.waitsForYou", { bot })}</p>
      <p class="row">
        {waiting.map(({ header }) => (
          <a key={header?.matchId} class="button main" href={`/matches/${header?.matchId ?? ""}`}>
            {t("ladder.sitDown", { game: gameName(header?.game ?? "") })}
          </a>
        ))}
      </p>
    </section>
  );
}

function Standing({ bot, part }: { bot: string; part: Part }) {
  const { ladders, tournaments } = part;
  const forfeits = useMemo(() => ladders.flatMap((inLadder) => inLadder.forfeits), [ladders]);
  const credits = useMemo(() => ladders.flatMap((inLadder) => inLadder.networkCredits), [ladders]);
  const voids = useMemo(() => ladders.flatMap((inLadder) => inLadder.voids), [ladders]);
  const entrant = [...ladders, ...tournaments].flatMap((competition) => competition.entrants)[0];
  const playing = ladders.flatMap((inLadder) => inLadder.entries)[0]; // an earlier version may have been of another kind
  const lookalikes = new Set(ladders.flatMap((inLadder) => inLadder.entries.map((entry) => entry.looksLike)));
  const kind = entrant === undefined ? undefined : KINDS[playing?.kind ?? entrant.kind];
  return (
    <>
      <p class="row quiet">
        {entrant !== undefined && entrant.author !== "" && (
          <span>
            {t("ladder.by")} <a href={`/authors/${encodeURIComponent(entrant.author)}`}>{entrant.author}</a>
          </span>
        )}
        {kind !== undefined && <Term word={t(kind[0])} means={kind[1]} />}
        {[...lookalikes].map((other) => (
          <LooksLike key={other} other={other} />
        ))}
      </p>
      <Against key={bot} bot={bot} ladders={ladders} />
      {!bot.startsWith(HOUSE) && (
        <Casual bot={bot} uploaded={(playing?.kind ?? entrant?.kind) === EntrantKind.SUBMITTED} />
      )}
      {ladders.length === 0 && tournaments.length === 0 && <Nowhere bot={bot} />}
      {ladders.map((inLadder) => (
        <Ladder key={inLadder.ladder.name} inLadder={inLadder} />
      ))}
      {tournaments.length > 0 && (
        <>
          <h2>{t("ladder.tournaments")}</h2>
          <ul class="plain-list">
            {tournaments.map(({ tournament }) => (
              <li key={tournament.name}>
                <a href={`/tournaments/${tournament.name}`}>{tournament.name}</a>{" "}
                <TournamentStateTag state={tournament.state} />
              </li>
            ))}
          </ul>
        </>
      )}
      {entrant !== undefined && <Behaviour bot={bot} forfeits={forfeits} voids={voids} credits={credits} />}
    </>
  );
}

/** A bot that nothing rates: one of the service itself, or none at all. */
function Nowhere({ bot }: { bot: string }) {
  if (!bot.startsWith(HOUSE)) return <Nothing>{t("ladder.botNowhere")}</Nothing>;
  return (
    <>
      <p>{t("ladder.botOfHouse")}</p>
      <p>
        <a class="button main" href={`/play?opponent=${encodeURIComponent(bot)}`}>
          {t("ladder.playAgainst")}
        </a>
      </p>
    </>
  );
}

function Ladder({ inLadder }: { inLadder: InLadder }) {
  const { ladder, entrants } = inLadder;
  const only = useMemo(() => entrants.map((entrant) => entrant.bot), [entrants]);
  const rated = inLadder.placed.find(({ standing }) => standing.low !== undefined);
  const absent = inLadder.entries.find((entry) => entry.absentBecause !== "");
  return (
    <section>
      <h2>
        <a class="plain" href={`/ladders/${ladder.name}`}>
          {ladder.name}
        </a>{" "}
        <span class="quiet">{t("ladder.seasonNumber", { season: ladder.season })}</span>
      </h2>
      {absent !== undefined && <p class="notice warn">{absent.absentBecause}</p>}
      <Placings inLadder={inLadder} withBot={false} />
      {rated !== undefined && (
        <details class="later">
          <summary>{t("ladder.history")}</summary>
          <RatingHistory
            tournament={ladder.tournament?.name ?? ladder.name}
            game={rated.game}
            blocks={ladder.tournament?.progress?.blocksCounted ?? 0}
            only={only}
          />
        </details>
      )}
    </section>
  );
}
