/** Cards of each deck, with the usual colours of suits and with four. */
import { nagaNames } from "~/boards/naga/names";
import { NagaCard } from "~/boards/naga/card";
import { CardRow } from "~/boards/table/cards";
import { FrenchBack, FrenchCard, NoCard } from "~/cards/french";
import { cardNames } from "~/cards/french_names";
import { KamikisenBack, KamikisenCard } from "~/cards/kamikisen";
import { faceNames, faceOfStrength, facesOfCards } from "~/cards/kamikisen_names";
import { t } from "~/i18n";
import "~/boards/naga/naga.css";
import "~/boards/table/table.css";

const FRENCH = [1, 23, 36, 52, 53, 54];
const NAGA = [1, 8, 15, 22, 29, 36, 43, 50];
const KAMIKISEN = [...facesOfCards([1, 12, 14, 23]), faceOfStrength(11)];
const DECK_COUNT = 5;
const COLOURS = ["two", "four"] as const;

export function CardSamples() {
  return (
    <div class="sample-looks">
      {COLOURS.map((deck) => (
        <div key={deck} class="sheet stack sample-cards" data-deck={deck}>
          <p>{t(deck === "four" ? "shell.fourColours" : "parts.usualColours")}</p>
          <CardRow label={cardNames(FRENCH)}>
            {FRENCH.map((card) => (
              <FrenchCard key={card} card={card} />
            ))}
          </CardRow>
          <CardRow label={t("parts.backs")}>
            {Array.from({ length: DECK_COUNT }, (_, seat) => (
              <FrenchBack key={seat} deck={seat} />
            ))}
            <NoCard />
          </CardRow>
          <CardRow label={nagaNames(NAGA)}>
            {NAGA.map((card) => (
              <NagaCard key={card} card={card} />
            ))}
          </CardRow>
          <CardRow label={faceNames(KAMIKISEN)}>
            {KAMIKISEN.map((face) => (
              <KamikisenCard key={face.code} face={face} />
            ))}
            <KamikisenBack />
          </CardRow>
        </div>
      ))}
    </div>
  );
}
