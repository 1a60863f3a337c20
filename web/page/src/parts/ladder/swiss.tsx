/** How the bots of a Swiss stand by victory points. */
import type { SwissStandings } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import { gameName } from "~/parts/games";
import { nameOf } from "~/parts/ladder/names";
import { LooksLike } from "~/parts/looks_like";
import { Term } from "~/parts/term";

export function Swiss({ standings }: { standings: SwissStandings }) {
  const caption = t("ladder.swissCaption", {
    game: gameName(standings.game),
    begun: standings.roundsBegun,
    rounds: standings.rounds,
  });
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              {t("ladder.rank")}
            </th>
            <th scope="col">{t("ladder.bot")}</th>
            <th scope="col" class="number">
              <Term word={t("ladder.victoryPoints")} means="ladder.victoryPointsMeans" />
            </th>
            <th scope="col" class="number">
              {t("ladder.roundsPlayed")}
            </th>
            <th scope="col" class="number">
              <Term word={t("ladder.byes")} means="ladder.byesMeans" />
            </th>
          </tr>
        </thead>
        <tbody>
          {standings.rows.map((row) => (
            <tr key={row.bot}>
              <td class="number">
                {row.rank}
                {row.tied ? "=" : ""}
              </td>
              <th scope="row">
                <a class="plain" href={`/bots/${nameOf(row.bot)}`}>
                  {row.bot}
                </a>
                <LooksLike other={row.looksLike} />
              </th>
              <td class="number">{number(row.victoryPoints, 2)}</td>
              <td class="number">{number(row.roundsPlayed)}</td>
              <td class="number">{number(row.byes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
