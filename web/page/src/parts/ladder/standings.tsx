/** The table of a ladder or a tournament. */
import { useMemo, useState } from "preact/hooks";
import type { Standing } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, number, t } from "~/i18n";
import { Interval, Rating, type Scale, Trend } from "~/parts/ladder/interval";
import { Marks } from "~/parts/ladder/marks";
import { type LadderRow, findRows, isPast, ratingRange } from "~/parts/ladder/rows";
import { LooksLike } from "~/parts/looks_like";
import { type Column, SortTable } from "~/parts/sort_table";
import { Tag } from "~/parts/tag";
import { Term } from "~/parts/term";
import "~/parts/ladder/standings.css";

const MAX_ROWS_UNFILTERED = 12;

export function Standings(props: { caption: string; rows: readonly LadderRow[]; withTrend: boolean }) {
  const { rows, withTrend } = props;
  const [wanted, setWanted] = useState("");
  const [withPast, setWithPast] = useState(false);
  const past = useMemo(() => rows.some(isPast), [rows]);
  const shown = useMemo(
    () => findRows(withPast ? rows : rows.filter((row) => !isPast(row)), wanted),
    [rows, wanted, withPast],
  );
  const columns = useMemo(() => {
    const standings = rows.map((row) => row.standing);
    const withExpected = standings.some(({ expectedShare }) => expectedShare !== undefined);
    return columnsOf(ratingRange(standings), withTrend, withExpected);
  }, [rows, withTrend]);
  return (
    <>
      <div class="row tools">
        {rows.length > MAX_ROWS_UNFILTERED && (
          <label class="row">
            {t("ladder.find")}
            <input
              type="search"
              value={wanted}
              placeholder={t("ladder.findHint")}
              onInput={(event) => {
                setWanted(event.currentTarget.value);
              }}
            />
          </label>
        )}
        {past && (
          <label class="row">
            <input
              type="checkbox"
              checked={withPast}
              onChange={(event) => {
                setWithPast(event.currentTarget.checked);
              }}
            />
            {t("ladder.withPast")}
          </label>
        )}
      </div>
      <SortTable
        caption={props.caption}
        columns={columns}
        rows={shown}
        rowKey={(row) => row.key}
        rowClass={(row) => (isPast(row) ? "past" : "")}
      />
    </>
  );
}

function columnsOf(scale: Scale, withTrend: boolean, withExpected: boolean): Column<LadderRow>[] {
  const columns: (Column<LadderRow> | undefined)[] = [
    {
      id: "rank",
      title: t("ladder.rank"),
      beside: <Explained word="ladder.rank" means="ladder.rankMeans" />,
      number: true,
      class: "rank",
      cell: ({ standing }) => standing.rank ?? <span class="quiet">–</span>,
      sort: ({ standing }) => standing.rank,
    },
    { id: "bot", title: t("ladder.bot"), head: true, cell: (row) => <Named row={row} />, sort: (row) => row.key },
    {
      id: "rating",
      title: t("ladder.rating"),
      beside: <Explained word="ladder.rating" means="ladder.ratingMeans" />,
      number: true,
      class: "nowrap",
      greatestFirst: true,
      cell: ({ standing }) => <Rating standing={standing} />,
      sort: ({ standing }) => (standing.low === undefined ? undefined : standing.rating),
    },
    withExpected
      ? {
          id: "expected",
          title: t("ladder.expected"),
          beside: <Explained word="ladder.expected" means="ladder.expectedMeans" />,
          number: true,
          class: "nowrap",
          greatestFirst: true,
          cell: ({ standing: { expectedShare } }) => (expectedShare === undefined ? "–" : percent(expectedShare)),
          sort: ({ standing }) => standing.expectedShare,
        }
      : undefined,
    {
      id: "interval",
      title: t("ladder.intervalTitle"),
      beside: <Explained word="ladder.intervalTitle" means="ladder.intervalMeans" />,
      class: "wide",
      cell: ({ standing }) => <Interval standing={standing} scale={scale} />,
      sort: ({ standing: { low, high } }) => (low === undefined || high === undefined ? undefined : high - low),
    },
    withTrend
      ? {
          id: "trend",
          title: t("ladder.trend"),
          beside: <Explained word="ladder.trend" means="ladder.trendMeans" />,
          number: true,
          class: "nowrap",
          greatestFirst: true,
          cell: (row) => <Trend by={row.trend} />,
          sort: (row) => row.trend,
        }
      : undefined,
    {
      id: "matches",
      title: t("ladder.matches"),
      beside: <Explained word="ladder.matches" means="ladder.matchesMeans" />,
      number: true,
      greatestFirst: true,
      cell: ({ standing }) => number(standing.matches),
      sort: ({ standing }) => standing.matches,
    },
    {
      id: "results",
      title: t("ladder.results"),
      beside: <Explained word="ladder.results" means="ladder.resultsMeans" />,
      class: "nowrap results",
      greatestFirst: true,
      cell: ({ standing }) => `${number(standing.wins)} · ${number(standing.draws)} · ${number(standing.losses)}`,
      sort: ({ standing }) => (standing.matches === 0 ? undefined : standing.wins / standing.matches),
    },
    {
      id: "share",
      title: t("ladder.share"),
      beside: <Explained word="ladder.share" means="ladder.shareMeans" />,
      number: true,
      greatestFirst: true,
      cell: ({ standing }) => (standing.share === undefined ? "–" : percent(standing.share)),
      sort: ({ standing }) => standing.share,
    },
  ];
  return columns.filter((column) => column !== undefined);
}

export function percent(part: number): string {
  return `${number(part * 100, 1)} %`;
}

function Explained(props: { word: MessageKey; means: MessageKey }) {
  return (
    <Term word={t(props.word)} means={props.means}>
      ?
    </Term>
  );
}

/** Of how many versions of its bot a ranked one is the best. */
function Tries({ standing }: { standing: Standing }) {
  const { enteredVersions: count, rank } = standing;
  if (count < 2 || rank === undefined) return null;
  const word = t("ladder.tries", { count });
  return (
    <Term word={word} means="ladder.triesMeans">
      <Tag>{word}</Tag>
    </Term>
  );
}

function Named({ row }: { row: LadderRow }) {
  return (
    <span class="named">
      <a class="plain" href={`/bots/${row.bot}`}>
        {row.bot}
      </a>{" "}
      {row.version !== "" && <span class="quiet small">{row.version}</span>}{" "}
      {row.author !== "" && (
        <a class="quiet small" href={`/authors/${encodeURIComponent(row.author)}`}>
          {row.author}
        </a>
      )}
      <Tries standing={row.standing} /> <LooksLike other={row.standing.looksLike} />{" "}
      <Marks marks={row.marks} lastPlayed={row.standing.lastPlayedTime} />
    </span>
  );
}
