/** The matches, live and finished, by game, bot, label, state and the reader's own tags; a page at a time. */
import { useCallback } from "preact/hooks";
import { useLocation } from "preact-iso";
import { matches } from "~/api/matches";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { t, time } from "~/i18n";
import { gameName } from "~/parts/games";
import { Failed, Loading, Nothing, useLoad } from "~/parts/load";
import { useGames } from "~/parts/games";
import { StateTag, stateName } from "~/parts/match/heading";
import { type Filter, STATES, filterOf, queryOf, unknownIn } from "~/parts/match/filter";
import { ShowResults, resultsShown } from "~/parts/match/results";
import { ending, seatLabels, signed } from "~/parts/match/seats";
import { HiddenTag } from "~/parts/match/shown_later";
import { useTitle } from "~/parts/title";
import "~/parts/match/match.css";

const PAGE_SIZE = 25;

export default function Matches() {
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const unknown = unknownIn(query);
  const show = (next: Filter) => {
    route(`/matches${queryOf(next)}`);
  };
  useTitle(t("match.listTitle"));
  return (
    <>
      <h1>{t("match.listTitle")}</h1>
      <FilterForm key={queryOf({ ...filter, page: "" })} filter={filter} show={show} />
      {unknown === undefined ? (
        <List filter={filter} show={show} />
      ) : (
        <p class="notice bad" role="alert">
          {t("match.unknown", { text: unknown })}
        </p>
      )}
    </>
  );
}

function FilterForm({ filter, show }: { filter: Filter; show: (filter: Filter) => void }) {
  const listed = useGames();
  const games = listed.state === "there" ? listed.value : [];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const fields = [...form].map(([name, value]) => [name, typeof value === "string" ? value : ""]);
    show(filterOf(Object.fromEntries(fields) as Record<string, string>));
  };
  const change = (event: Event) => {
    (event.currentTarget as HTMLSelectElement).form?.requestSubmit();
  };
  return (
    <form class="match-filter" onSubmit={submit} role="search" aria-label={t("match.filter")}>
      <label>
        {t("match.game")}
        <select name="game" defaultValue={filter.game} onChange={change}>
          <option value="">{t("match.all")}</option>
          {games.map(({ id }) => (
            <option key={id} value={id} selected={id === filter.game}>
              {gameName(id)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("match.state")}
        <select name="state" onChange={change}>
          <option value="">{t("match.all")}</option>
          {STATES.map((state) => (
            <option key={state} value={String(state)} selected={state === filter.state}>
              {stateName(state)}
            </option>
          ))}
        </select>
      </label>
      <Field name="bot" label={t("match.bot")} value={filter.bot} />
      <Field name="label" label={t("match.label")} value={filter.label} />
      <Field name="tag" label={t("match.tag")} value={filter.tag} />
      <button type="submit">{t("match.show")}</button>
    </form>
  );
}

function Field(props: { name: string; label: string; value: string }) {
  return (
    <label>
      {props.label}
      <input name={props.name} defaultValue={props.value} autoComplete="off" spellcheck={false} size={12} />
    </label>
  );
}

function List({ filter, show }: { filter: Filter; show: (filter: Filter) => void }) {
  const { game, state, bot, label, tag, page } = filter;
  const read = useCallback(
    (signal: AbortSignal) =>
      matches.listMatches({ game, state, bot, label, tag, pageToken: page, pageSize: PAGE_SIZE }, { signal }),
    [game, state, bot, label, tag, page],
  );
  const loaded = useLoad(read);
  if (loaded.state === "loading") return <Loading />;
  if (loaded.state === "failed") {
    return (
      <>
        <Failed error={loaded.error} again={loaded.again} />
        {tag !== "" && <p>{t("match.tagsAreYours")}</p>}
      </>
    );
  }
  const { again } = loaded;
  const { matches: found, nextPageToken } = loaded.value;
  return (
    <>
      <p class="row apart">
        <ShowResults />
        <a href="/now">{t("match.nowShowing")}</a>
      </p>
      {found.length === 0 ? <Nothing>{t("match.none")}</Nothing> : <Table found={found} />}
      <nav class="match-pages" aria-label={t("match.pages")}>
        {page !== "" && (
          <button
            type="button"
            onClick={() => {
              show({ ...filter, page: "" });
            }}
          >
            {t("match.newest")}
          </button>
        )}
        {nextPageToken !== "" && (
          <button
            type="button"
            onClick={() => {
              show({ ...filter, page: nextPageToken });
            }}
          >
            {t("match.older")}
          </button>
        )}
        <button type="button" onClick={again}>
          {t("match.refresh")}
        </button>
      </nav>
    </>
  );
}

function Table({ found }: { found: readonly Match[] }) {
  return (
    <div class="scroll" role="region" aria-label={t("match.listTitle")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("match.game")}</th>
            <th scope="col">{t("match.players")}</th>
            <th scope="col" class="match-wide">
              {t("match.result")}
            </th>
            <th scope="col" class="match-wide">
              {t("match.when")}
            </th>
          </tr>
        </thead>
        <tbody>
          {found.map((match) => (
            <Row key={match.header?.matchId} match={match} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ match }: { match: Match }) {
  const { header } = match;
  const seats = seatLabels(header);
  const created = header?.createTime;
  const showsResults = resultsShown.value;
  return (
    <tr class={match.state === MatchState.PLAYING ? "is-live" : ""}>
      <td>
        <MatchName match={match} />
        {header?.label !== "" && <div class="quiet small">{header?.label}</div>}
        {match.tags.length > 0 && <div class="quiet small">{match.tags.join(t("match.comma"))}</div>}
      </td>
      <td>
        {seats.map(({ name }, seat) => (
          <span key={seat} class="match-player">
            {name} {showsResults && <span class="quiet">{scoreOf(match, seat)}</span>}
          </span>
        ))}
      </td>
      <td class="match-wide">
        <Result match={match} seats={seats} />
      </td>
      <td class="match-wide">
        {created !== undefined && (
          <time class="nowrap" dateTime={new Date(Number(created.seconds) * 1000).toISOString()}>
            {time(new Date(Number(created.seconds) * 1000))}
          </time>
        )}
      </td>
    </tr>
  );
}

/** How a match ended, for who wants to know. */
function Result({ match, seats }: { match: Match; seats: ReturnType<typeof seatLabels> }) {
  if (match.hidden && match.showDelayMs === 0) return <>{t("match.hidden")}</>;
  return <>{resultsShown.value && ending(match, seats)}</>;
}

/** The way to a match; while it is held back it is waited for there, and an organiser watches it. */
function MatchName({ match }: { match: Match }) {
  const { header, hidden, state } = match;
  return (
    <>
      <a href={`/matches/${header?.matchId ?? ""}`}>{gameName(header?.game ?? "")}</a>{" "}
      {hidden ? <HiddenTag match={match} /> : <StateTag state={state} />}
    </>
  );
}

/** A seat's score, once there is one. */
function scoreOf({ end }: Match, seat: number): string {
  const score = end?.outcome?.scores[seat];
  return score === undefined ? "" : signed(score);
}
