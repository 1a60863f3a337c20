/** Cards of a fixed picture, drawn with the parts of the real boards. */
import { NagaCard } from "~/boards/naga/card";
import { nagaName } from "~/boards/naga/names";
import { FrenchBack, FrenchCard } from "~/cards/french";
import { cardName, listed } from "~/cards/french_names";
import { KamikisenBack, KamikisenCard } from "~/cards/kamikisen";
import { type Face, faceName, faceOfCard, faceOfStrength } from "~/cards/kamikisen_names";
import { t } from "~/i18n";
import { type Deck, deckOf, frenchCard, kamikisenCard, kamikisenStrength, nagaCard } from "~/learn/codes";
import "~/boards/naga/naga.css";
import "~/learn/learn.css";

const BACK = "--";

/** Cards in a row: one picture for screen readers, or none where it only adorns. */
export function PictureCards({ game, cards, adorns = false }: { game: string; cards: string; adorns?: boolean }) {
  const deck = deckOf(game);
  const codes = cards.split(" ");
  const drawn = codes.map((code, at) => <PictureCard key={at} deck={deck} code={code} />);
  if (adorns) {
    return (
      <span class="learn-cards" aria-hidden="true">
        {drawn}
      </span>
    );
  }
  return (
    <span class="learn-cards" role="img" aria-label={namesOf(deck, codes)}>
      {drawn}
    </span>
  );
}

function PictureCard({ deck, code }: { deck: Deck; code: string }) {
  if (code === BACK) return deck === "kamikisen" ? <KamikisenBack /> : <FrenchBack />;
  if (deck === "naga") return <NagaCard card={nagaCard(code)} />;
  if (deck === "french") return <FrenchCard card={frenchCard(code)} />;
  return <KamikisenCard face={faceOf(code)} />;
}

function faceOf(code: string): Face {
  return code.length === 1 ? faceOfStrength(kamikisenStrength(code)) : faceOfCard(kamikisenCard(code));
}

function namesOf(deck: Deck, codes: readonly string[]): string {
  const open = codes.filter((code) => code !== BACK);
  if (open.length === 0) return t("learn.faceDown", { count: codes.length });
  if (deck === "naga") return listed(open.map((code) => nagaName(nagaCard(code))));
  if (deck === "french") return listed(open.map((code) => cardName(frenchCard(code))));
  return listed(open.map((code) => faceName(faceOf(code))));
}
