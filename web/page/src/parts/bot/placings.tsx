/** How the versions of a bot stand in a ladder, game by game. */
import { number, t } from "~/i18n";
import { Balance } from "~/parts/bot/balance";
import type { InLadder, Placed } from "~/parts/bot/load";
import { OVERALL, gameName } from "~/parts/games";
import { Interval, Rating } from "~/parts/ladder/interval";
import { Marks } from "~/parts/ladder/marks";
import { nameOf } from "~/parts/ladder/names";
import { ladderRows, ratingRange } from "~/parts/ladder/rows";
import { percent } from "~/parts/ladder/standings";
import { LooksLike } from "~/parts/looks_like";

export function Placings({ inLadder, withBot }: { inLadder: InLadder; withBot: boolean }) {
  const { ladder, placed } = inLadder;
  const scale = ratingRange(placed.map(({ standing }) => standing));
  const caption = t("ladder.placingsIn", { ladder: ladder.name });
  const played = placed.filter(({ standing }) => standing.matches > 0);
  if (played.length === 0) return <p class="quiet">{t("ladder.notPlayed")}</p>;
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class="sorted">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {withBot && <th scope="col">{t("ladder.bot")}</th>}
            <th scope="col">{t("ladder.game")}</th>
            <th scope="col">{t("ladder.version")}</th>
            <th scope="col" class="number">
              {t("ladder.rank")}
            </th>
            <th scope="col" class="number">
              {t("ladder.rating")}
            </th>
            <th scope="col">{t("ladder.intervalTitle")}</th>
            <th scope="col" class="number">
              {t("ladder.matches")}
            </th>
            <th scope="col">{t("ladder.results")}</th>
            <th scope="col" class="number">
              {t("ladder.share")}
            </th>
          </tr>
        </thead>
        <tbody>
          {played.map((placing) => (
            <Line
              key={`${placing.game} ${placing.standing.bot}`}
              inLadder={inLadder}
              placing={placing}
              scale={scale}
              withBot={withBot}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line(props: { inLadder: InLadder; placing: Placed; scale: { low: number; high: number }; withBot: boolean }) {
  const { inLadder, placing } = props;
  const { standing } = placing;
  const [row] = ladderRows({
    standings: [standing],
    overall: placing.game === OVERALL,
    tournament: inLadder.ladder.tournament,
    entries: inLadder.entries,
  });
  return (
    <tr>
      {props.withBot && (
        <th scope="row">
          <a class="plain" href={`/bots/${nameOf(standing.bot)}`}>
            {nameOf(standing.bot)}
          </a>
          <LooksLike other={standing.looksLike} />
        </th>
      )}
      <td>{gameName(placing.game)}</td>
      <td>
        {standing.version} <Marks marks={row?.marks ?? []} lastPlayed={standing.lastPlayedTime} />
      </td>
      <td class="number">{standing.rank ?? "–"}</td>
      <td class="number nowrap">
        <Rating standing={standing} />
      </td>
      <td class="wide">
        <Interval standing={standing} scale={props.scale} />
      </td>
      <td class="number">{number(standing.matches)}</td>
      <td class="wide">
        <Balance score={standing} />
      </td>
      <td class="number">{standing.share === undefined ? "–" : percent(standing.share)}</td>
    </tr>
  );
}
