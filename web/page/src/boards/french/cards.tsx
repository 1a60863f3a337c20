/** Cards on a board: ones that can be pointed at, and rows of small ones. */
import type { PieceId } from "~/boards";
import { Piece } from "~/boards/piece";
import { CardRow } from "~/boards/table/cards";
import { FrenchCard } from "~/cards/french";
import { cardName, cardNames } from "~/cards/french_names";

/** A card that can be pointed at. `note` is said with its name. */
export function CardPiece(props: { id: PieceId; card: number; class?: string; note?: string | undefined }) {
  const name = cardName(props.card);
  const label = props.note === undefined ? name : `${name}, ${props.note}`;
  return (
    <Piece id={props.id} label={label} class={`card ${props.class ?? ""}`}>
      <FrenchCard card={props.card} />
    </Piece>
  );
}

/** A card that is only looked at. */
export function ShownCard(props: { card: number; class?: string; label?: string }) {
  return (
    <span class={`card ${props.class ?? ""}`} role="img" aria-label={props.label ?? cardName(props.card)}>
      <FrenchCard card={props.card} />
    </span>
  );
}

/** Small cards in a row, one picture for screen readers. */
export function SmallCards(props: { cards: readonly number[] }) {
  return (
    <CardRow label={cardNames(props.cards)} small>
      {props.cards.map((card) => (
        <FrenchCard key={card} card={card} />
      ))}
    </CardRow>
  );
}
