/** Who did how well against whom, as a square table. */
import { useCallback, useMemo } from "preact/hooks";
import { arena } from "~/api/arena";
import type { TournamentMatch } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import { type HeadToHead, type Score, counted, headToHead, winShare } from "~/parts/ladder/head_to_head";
import { OVERALL } from "~/parts/games";
import { type LadderRow, isPast } from "~/parts/ladder/rows";
import { percent } from "~/parts/ladder/standings";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { LooksLike } from "~/parts/looks_like";
import { Term } from "~/parts/term";
import "~/parts/ladder/matrix.css";

const PAGE_SIZE = 1000;
/** More are not read: the table says so. */
const MAX_MATCHES = 20_000;
const MAX_BOTS = 25;

interface Read {
  readonly matches: readonly TournamentMatch[];
  readonly all: boolean;
}

/** All matches of a tournament, from its first block on, as many as are read at most. */
async function readMatches(tournament: string, signal: AbortSignal): Promise<Read> {
  const matches: TournamentMatch[] = [];
  let pageToken = "";
  do {
    const page = await arena.listTournamentMatches({ tournament, pageSize: PAGE_SIZE, pageToken }, { signal });
    matches.push(...page.matches);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && matches.length < MAX_MATCHES);
  return { matches, all: pageToken === "" };
}

export function Matrix(props: { tournament: string; game: string; rows: readonly LadderRow[] }) {
  const { tournament, game, rows } = props;
  const read = useLoad(useCallback((signal: AbortSignal) => readMatches(tournament, signal), [tournament]));
  return (
    <Shown loaded={read}>
      {({ matches, all }) => (
        <>
          <Square matches={matches} game={game === OVERALL ? "" : game} rows={rows} />
          {!all && <p class="quiet small">{t("ladder.matrixPart", { count: matches.length })}</p>}
        </>
      )}
    </Shown>
  );
}

function Square(props: { matches: readonly TournamentMatch[]; game: string; rows: readonly LadderRow[] }) {
  const { matches, game, rows } = props;
  const table = useMemo(() => headToHead(counted(matches, game)), [matches, game]);
  const played = rows.filter((row) => !isPast(row) && table.has(row.key));
  if (played.length < 2) return <Nothing>{t("ladder.matrixNone")}</Nothing>;
  const bots = played.slice(0, MAX_BOTS);
  return (
    <>
      <p class="quiet">
        {t("ladder.matrixHow")} <Term word={t("ladder.withheld")} means="ladder.withheldMeans" />
      </p>
      <div class="scroll" role="region" aria-label={t("ladder.headToHead")} tabIndex={0}>
        <table class="matrix">
          <caption class="unseen">{t("ladder.headToHead")}</caption>
          <thead>
            <tr>
              <td />
              {bots.map((row) => (
                <th scope="col" key={row.key}>
                  <span>{row.bot}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bots.map((row) => (
              <Line key={row.key} row={row} bots={bots} table={table} />
            ))}
          </tbody>
        </table>
      </div>
      {played.length > bots.length && (
        <p class="quiet small">{t("ladder.matrixTop", { shown: bots.length, count: played.length })}</p>
      )}
    </>
  );
}

function Line(props: { row: LadderRow; bots: readonly LadderRow[]; table: HeadToHead }) {
  const scores = props.table.get(props.row.key);
  return (
    <tr>
      <th scope="row">
        <a class="plain" href={`/bots/${props.row.bot}`}>
          {props.row.bot}
        </a>{" "}
        <span class="quiet small">{props.row.version}</span>
        <LooksLike other={props.row.standing.looksLike} />
      </th>
      {props.bots.map((other) => (
        <Field key={other.key} self={other.key === props.row.key} score={scores?.get(other.key)} />
      ))}
    </tr>
  );
}

function Field({ self, score }: { self: boolean; score: Score | undefined }) {
  const share = score === undefined ? undefined : winShare(score);
  if (self || score === undefined || share === undefined)
    return <td class={self ? "self" : "quiet"}>{self ? "" : "–"}</td>;
  const strength = `${Math.round(Math.abs(share - 0.5) * 70)}%`;
  const ground = `color-mix(in srgb, var(${share >= 0.5 ? "--good" : "--bad"}) ${strength}, var(--sheet))`;
  return (
    <td style={{ background: ground }}>
      <strong>{percent(share)}</strong>
      <br />
      <span class="small nowrap">
        {number(score.wins)} · {number(score.draws)} · {number(score.losses)}
      </span>
    </td>
  );
}
