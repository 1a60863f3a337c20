/** Against whom a bot has played lately, and how that went. */
import { useMemo } from "preact/hooks";
import type { Match } from "~/gen/fudaba/v1/matches_pb";
import { number, t } from "~/i18n";
import { Balance } from "~/parts/bot/balance";
import { type Score, type Scored, headToHead, winShare } from "~/parts/ladder/head_to_head";
import { percent } from "~/parts/ladder/standings";
import { resultsShown } from "~/parts/match/results";
import { type Column, SortTable } from "~/parts/sort_table";

/** What is needed of a match; those without a result, and seats that nobody has, are left out. */
export function scoredOf(matches: readonly Match[]): Scored[] {
  return matches.flatMap(({ header, end }) => {
    const scores = end?.outcome?.scores;
    return header === undefined || scores === undefined
      ? []
      : [{ bots: header.players.map((player) => player.bot), scores }];
  });
}

/** Columns that tell how matches ended, which the list below them may not. */
const RESULTS = new Set(["balance", "share"]);

interface Row {
  readonly bot: string;
  readonly score: Score;
}

export function Opponents({ bot, matches }: { bot: string; matches: readonly Match[] }) {
  const rows = useMemo(
    () =>
      Array.from(headToHead(scoredOf(matches)).get(bot) ?? [], ([opponent, score]) => ({ bot: opponent, score }))
        .filter((row) => row.bot !== "")
        .sort((left, right) => total(right.score) - total(left.score)),
    [bot, matches],
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h2>{t("ladder.opponents")}</h2>
      <p class="quiet">{t("ladder.opponentsHow", { count: matches.length })}</p>
      <SortTable
        caption={t("ladder.opponents")}
        columns={columns().filter(({ id }) => resultsShown.value || !RESULTS.has(id))}
        rows={rows}
        rowKey={(row) => row.bot}
        pageSize={20}
      />
    </>
  );
}

function total({ wins, draws, losses }: Score): number {
  return wins + draws + losses;
}

function columns(): Column<Row>[] {
  return [
    {
      id: "bot",
      title: t("ladder.opponent"),
      head: true,
      cell: (row) => (
        <a class="plain" href={`/bots/${row.bot}`}>
          {row.bot}
        </a>
      ),
      sort: (row) => row.bot,
    },
    {
      id: "matches",
      title: t("ladder.matches"),
      number: true,
      greatestFirst: true,
      cell: (row) => number(total(row.score)),
      sort: (row) => total(row.score),
    },
    {
      id: "balance",
      title: t("ladder.results"),
      class: "wide",
      cell: (row) => <Balance score={row.score} />,
    },
    {
      id: "share",
      title: t("ladder.won"),
      number: true,
      greatestFirst: true,
      cell: (row) => percent(winShare(row.score) ?? 0),
      sort: (row) => winShare(row.score),
    },
  ];
}
