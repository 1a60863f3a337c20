/** How ratings have come about: a chart of the bots that one chooses. */
import { lazy } from "preact-iso";
import { useCallback, useMemo, useState } from "preact/hooks";
import { arena } from "~/api/arena";
import { historyOf, ratedBots } from "~/charts/history";
import type { RatingPoint } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import { gameName } from "~/parts/games";
import { historyStep } from "~/parts/ladder/rows";
import { Nothing, Shown, useLoad } from "~/parts/load";
import "~/parts/ladder/history.css";

const RatingChart = lazy(() => import("~/charts/ratings"));
const MAX_HISTORY_POINTS = 32;
const MAX_CHART_LINES = 8;
const LINES_AT_FIRST = 5;
const MAX_LISTED_BOTS = 40;

export function RatingHistory(props: { tournament: string; game: string; blocks: number; only?: readonly string[] }) {
  const { tournament, game, blocks } = props;
  const everyBlocks = historyStep(blocks, MAX_HISTORY_POINTS);
  const read = useLoad(
    useCallback(
      (signal: AbortSignal) => arena.getRatingHistory({ tournament, game, everyBlocks }, { signal }),
      [tournament, game, everyBlocks],
    ),
  );
  return (
    <Shown loaded={read}>
      {({ points }) => <Chosen key={`${tournament} ${game}`} points={points} game={game} only={props.only} />}
    </Shown>
  );
}

function Chosen(props: { points: readonly RatingPoint[]; game: string; only: readonly string[] | undefined }) {
  const { points, only } = props;
  const rated = useMemo(() => {
    const all = ratedBots(points);
    return only === undefined ? all : all.filter((bot) => only.includes(bot));
  }, [points, only]);
  const [chosen, setChosen] = useState<readonly string[]>(() => rated.slice(0, LINES_AT_FIRST));
  const history = useMemo(() => historyOf(points, chosen), [points, chosen]);
  if (points.length < 2 || rated.length === 0) return <Nothing>{t("ladder.historyNone")}</Nothing>;
  const toggle = (bot: string) => {
    setChosen(chosen.includes(bot) ? chosen.filter((other) => other !== bot) : [...chosen, bot]);
  };
  return (
    <>
      <p class="quiet">{t("ladder.historyHow")}</p>
      <fieldset class="lines">
        <legend class="unseen">{t("ladder.historyBots")}</legend>
        {rated.slice(0, MAX_LISTED_BOTS).map((bot) => (
          <label key={bot} class={`line-${chosen.indexOf(bot) + 1}`}>
            <input
              type="checkbox"
              checked={chosen.includes(bot)}
              disabled={!chosen.includes(bot) && chosen.length >= MAX_CHART_LINES}
              onChange={() => {
                toggle(bot);
              }}
            />
            <i aria-hidden="true" />
            {bot}
          </label>
        ))}
      </fieldset>
      <RatingChart
        history={history}
        label={t("ladder.historyLabel", { game: gameName(props.game) })}
        xLabel={t("ladder.historyBlocks")}
      />
      <AsTable points={points} bots={chosen} />
    </>
  );
}

/** The same in numbers, for who does not see the chart. */
function AsTable({ points, bots }: { points: readonly RatingPoint[]; bots: readonly string[] }) {
  const { blocks, lines } = historyOf(points, bots);
  return (
    <details>
      <summary>{t("ladder.historyTable")}</summary>
      <div class="scroll" role="region" aria-label={t("ladder.historyTable")} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                {t("ladder.historyBlocks")}
              </th>
              {bots.map((bot) => (
                <th scope="col" class="number" key={bot}>
                  {bot}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {blocks.map((block, at) => (
              <tr key={block}>
                <th scope="row" class="number">
                  {number(block)}
                </th>
                {lines.map((line) => (
                  <td class="number" key={line.bot}>
                    {rounded(line.rating[at])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function rounded(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : number(value);
}
