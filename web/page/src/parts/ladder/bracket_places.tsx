/** The places of the bots of a knockout. */
import type { Bracket } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import { gameName } from "~/parts/games";
import { nameOf } from "~/parts/ladder/names";
import { LooksLike } from "~/parts/looks_like";
import { Term } from "~/parts/term";

export function BracketPlaces({ bracket }: { bracket: Bracket }) {
  const caption = t("ladder.placesCaption", {
    game: gameName(bracket.game),
    begun: bracket.roundsBegun,
    rounds: bracket.rounds,
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
              <Term word={t("ladder.seed")} means="ladder.seedMeans" />
            </th>
          </tr>
        </thead>
        <tbody>
          {bracket.places.map((place) => (
            <tr key={place.bot}>
              <td class="number">
                {place.rank === 0 ? "-" : place.rank}
                {place.tied ? "=" : ""}
              </td>
              <th scope="row">
                <a class="plain" href={`/bots/${nameOf(place.bot)}`}>
                  {place.bot}
                </a>
                <LooksLike other={place.looksLike} />
              </th>
              <td class="number">{number(place.seed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
