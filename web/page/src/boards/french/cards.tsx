/** Cards on a board: ones that can be pointed at, rows of small ones, and all in a fold that is opened for them. */
import type { ComponentChildren } from "preact";
import type { PieceId } from "~/boards";
import { Piece } from "~/boards/piece";
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
    <span class="small-cards" role="img" aria-label={cardNames(props.cards)}>
      {props.cards.map((card) => (
        <FrenchCard key={card} card={card} />
      ))}
    </span>
  );
}

/** What need not be seen all the time. */
export function Fold(props: { name: string; children: ComponentChildren }) {
  return (
    <details class="fold">
      <summary>{props.name}</summary>
      <div>{props.children}</div>
    </details>
  );
}
