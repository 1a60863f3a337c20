/** What the chosen cards may count as, where the rules leave a choice: buttons once the cards can be a meld. */
import { useContext } from "preact/hooks";
import { pieceIds } from "~/boards/kamikisen/pieces";
import { readingsOf, strengthPiece } from "~/boards/kamikisen/readings";
import { Says } from "~/boards/says";
import { asStrength } from "~/boards/kamikisen/words";
import { PointingContext } from "~/boards/piece";
import { type Face, facesOfCards } from "~/cards/kamikisen_names";
import { t } from "~/i18n";

/** The cards of an area that are chosen. */
export function useChosenCards(area: string, cards: readonly number[], faces: readonly Face[]): number[] {
  const chosen = useContext(PointingContext)?.chosen;
  const pieces = pieceIds(area, faces);
  return chosen === undefined ? [] : cards.filter((_, place) => chosen.has(pieces[place] ?? ""));
}

/** The strengths that chosen cards of a hand may have, together with a card of the table. */
export function Strengths({ hand, offered }: { hand: readonly number[]; offered?: number | undefined }) {
  const chosen = useChosenCards("hand", hand, facesOfCards(hand));
  const readings = chosen.length === 0 ? [] : readingsOf(offered === undefined ? chosen : [...chosen, offered]);
  return (
    <Says
      label={t("kamikisen.reading")}
      sayings={readings.map(({ strength }) => ({ id: strengthPiece(strength), label: asStrength(strength) }))}
    />
  );
}
