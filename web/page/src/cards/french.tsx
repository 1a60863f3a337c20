/**
 * The French cards, drawn. A card is its number in the contract's enums, which all games of French cards share: clubs,
 * diamonds, hearts, spades from 1 to 52, each from ace to king, then the jokers 53 and 54.
 *
 * Suits differ by shape and by colour. Rank and suit stand in the upper strip too, so that a card can be told when others
 * lie on it. A card is a picture without a name for screen readers: what holds it says what it is.
 */
import "~/cards/french.css";
import { rankLetter, rankOf, suitOf } from "~/cards/french_names";

const HEART =
  "M12 21.5C5 15.6 2 11.6 2 7.6 2 4.5 4.4 2.5 7 2.5c2.2 0 4 1.3 5 3.3 1-2 2.8-3.3 5-3.3 2.6 0 5 2 5 5.1 0 4-3 8-10 13.9Z";
const DIAMOND = "M12 1.5 20.5 12 12 22.5 3.5 12Z";
const STEM = "M10.9 13h2.2c0 4.5 1 7.7 3 9.5H7.9c2-1.8 3-5 3-9.5Z";
const SPADE =
  "M12 1.5C15 6.3 22 9.7 22 14.9c0 2.9-2.2 4.8-4.7 4.8-1.8 0-3.3-.9-4.3-2.5h-2c-1 1.6-2.5 2.5-4.3 2.5-2.5 0-4.7-1.9-4.7-4.8C2 9.7 9 6.3 12 1.5Z";
const CROWNS: Readonly<Record<number, string>> = {
  11: "M0 12c2-7 6-10 12-12-1 5 1 9 8 12Z",
  12: "M0 12 1 2l5 5 4-7 4 7 5-5 1 10Z",
  13: "M0 12V0l6 6 4-6 4 6 6-6v12Z",
};
const CAP = "M3 44C2 30 12 22 20 30c2-12 18-12 20 0 8-8 18 0 17 14-6-4-10-3-13 4H16c-3-7-7-8-13-4Z";

/** A suit's sign in a box of 24 by 24: 0 clubs, 1 diamonds, 2 hearts, 3 spades. */
function SuitShape(props: { suit: number }) {
  if (props.suit === 1) return <path d={DIAMOND} />;
  if (props.suit === 2) return <path d={HEART} />;
  if (props.suit === 3) return <path d={`${SPADE}${STEM}`} />;
  return (
    <>
      <circle cx="12" cy="6.5" r="5" />
      <circle cx="6.5" cy="14" r="5" />
      <circle cx="17.5" cy="14" r="5" />
      <path d={`M8 8h8v8H8Z${STEM}`} />
    </>
  );
}

/** A suit's sign in running text, as high as the letters. */
export function SuitSign(props: { suit: number }) {
  return (
    <svg class={`french-sign french-suit-${props.suit}`} viewBox="0 0 24 24" aria-hidden="true">
      <SuitShape suit={props.suit} />
    </svg>
  );
}

/** A card, face up. */
export function FrenchCard(props: { card: number }) {
  const suit = suitOf(props.card);
  return (
    <svg class={`french-card french-suit-${suit}`} viewBox="0 0 60 84" aria-hidden="true" data-card={props.card}>
      <rect class="french-paper" x="1" y="1" width="58" height="82" rx="7" />
      {suit < 0 ? <Joker second={props.card === 54} /> : <Face suit={suit} rank={rankOf(props.card)} />}
    </svg>
  );
}

/** Two figures stand in the room of one letter and a half, in any font. */
const NARROW = { textLength: 26, lengthAdjust: "spacingAndGlyphs" } as const;

function Face(props: { suit: number; rank: number }) {
  const crown = CROWNS[props.rank];
  return (
    <>
      <text class="french-rank" x="5" y="26" {...(props.rank === 10 && NARROW)}>
        {rankLetter(props.rank)}
      </text>
      <g transform="translate(36 7) scale(0.8)">
        <SuitShape suit={props.suit} />
      </g>
      {crown !== undefined && <path d={crown} transform="translate(20 34)" />}
      <g transform={crown === undefined ? "translate(11 36) scale(1.6)" : "translate(15 48) scale(1.25)"}>
        <SuitShape suit={props.suit} />
      </g>
    </>
  );
}

function Joker(props: { second: boolean }) {
  return (
    <>
      <text class="french-rank" x="5" y="26">
        {props.second ? "★2" : "★1"}
      </text>
      <path d={CAP} transform="translate(8 22) scale(0.74)" />
      <circle cx="30" cy="66" r="10" />
    </>
  );
}

/** A card, face down. `deck` tells the decks of several seats apart by pattern and colour: 0 to 4. */
export function FrenchBack(props: { deck?: number }) {
  const deck = props.deck ?? 0;
  return (
    <svg class={`french-card french-back-${deck}`} viewBox="0 0 60 84" aria-hidden="true">
      <rect class="french-paper" x="1" y="1" width="58" height="82" rx="7" />
      <rect class="french-field" x="6" y="6" width="48" height="72" rx="4" />
      <path class="french-pattern" d={PATTERNS[deck % PATTERNS.length] ?? ""} />
    </svg>
  );
}

const PATTERNS = [
  "M6 24 24 6M6 42 42 6M6 60 54 12M6 78 54 30M24 78 54 48M42 78 54 66",
  "M14 6v72M22 6v72M30 6v72M38 6v72M46 6v72",
  "M6 18h48M6 30h48M6 42h48M6 54h48M6 66h48",
  "M30 12 46 42 30 72 14 42ZM30 26 39 42 30 58 21 42Z",
  "M30 22a20 20 0 1 0 .1 0ZM30 32a10 10 0 1 0 .1 0Z",
];

/** Where a card would lie. */
export function NoCard() {
  return (
    <svg class="french-card french-none" viewBox="0 0 60 84" aria-hidden="true">
      <rect x="2" y="2" width="56" height="80" rx="7" />
    </svg>
  );
}
