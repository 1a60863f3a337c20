/** A knockout: its bracket, drawn, and the places of its bots. Loaded for such a tournament only. */
import type { Bracket, Tournament } from "~/gen/fudaba/v1/arena_pb";
import { loadTexts, t } from "~/i18n";
import { Drawing } from "~/parts/bracket/drawing";
import { partsOf } from "~/parts/bracket/layout";
import { Places } from "~/parts/bracket/places";
import { gameName } from "~/parts/games";
import "~/parts/bracket/bracket.css";

export interface KnockoutProps {
  readonly tournament: Tournament;
  readonly bracket: Bracket;
}

/** This, once its texts are there. */
export async function load() {
  await loadTexts("bracket");
  return { Knockout };
}

export function Knockout({ tournament, bracket }: KnockoutProps) {
  const champion = bracket.places.find((place) => place.rank === 1);
  const parts = partsOf(bracket);
  const seededFrom = tournament.definition?.seededFrom;
  return (
    <div class="bracket">
      <div class="row apart">
        <h2>{t("bracket.whole")}</h2>
        <button
          type="button"
          class="small"
          onClick={() => {
            window.print();
          }}
        >
          {t("bracket.print")}
        </button>
      </div>
      <p role="status">
        {t("bracket.caption", {
          game: gameName(bracket.game),
          begun: bracket.roundsBegun,
          rounds: bracket.rounds,
        })}
        {champion !== undefined && (
          <>
            {" · "}
            <strong>{t("bracket.champion", { bot: champion.bot })}</strong>
          </>
        )}
      </p>
      {seededFrom !== undefined && (
        <p class="small">
          {t("bracket.seededFrom", {
            ladder: seededFrom.ladder,
            season: seededFrom.season,
            game: gameName(seededFrom.game),
          })}
        </p>
      )}
      <p class="quiet small">{t("bracket.how")}</p>
      {parts.map((part) => (
        <Drawing key={part.side} part={part} bracket={bracket} tournament={tournament} />
      ))}
      <Places places={bracket.places} />
    </div>
  );
}
