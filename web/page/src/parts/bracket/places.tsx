/** The places of the bots of a knockout. */
import type { BracketPlace } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import { nameOf } from "~/parts/ladder/names";
import { LooksLike } from "~/parts/looks_like";
import { Term } from "~/parts/term";

export function Places({ places }: { places: readonly BracketPlace[] }) {
  const caption = t("bracket.places");
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
              <Term word={t("bracket.seed")} means="bracket.seedMeans" />
            </th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
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
