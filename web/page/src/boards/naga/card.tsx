/** Naga's cards, drawn: each attribute has an emblem and a colour of its own, and its number in large. */
import { MOON, attributeOf, numberOf } from "~/boards/naga/names";

/** By attribute, in a box of 24 by 24: an eclipse, a sun, a flame, gusts, a drop, a leaf, mountains. */
const EMBLEMS = [
  "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm0 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14Zm0 2a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z",
  "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10ZM11 1h2l.5 4h-3Zm0 22h2l.5-4h-3ZM1 11v2l4 .5v-3Zm22 0v2l-4 .5v-3ZM3.5 5 5 3.5 8 6 6 8Zm17 0L19 3.5 16 6l2 2Zm-17 14L5 20.5 8 18l-2-2Zm17 0L19 20.5 16 18l2-2Z",
  "M13 1c1 5 7 8 7 14a8 8 0 0 1-16 0c0-4 2-6 4-8 0 3 1 4 2 4 2-2 3-5 3-10Zm-1 12c-2 2-3 3-3 5a3 3 0 0 0 6 0c0-2-1-3-3-5Z",
  "M2 8h12a2.5 2.5 0 1 0-2.5-2.5h-2A4.5 4.5 0 1 1 14 10H2Zm0 4h16a4 4 0 1 1-4 4h2a2 2 0 1 0 2-2H2Zm0 4h8a3 3 0 1 1-3 3h2a1 1 0 1 0 1-1H2Z",
  "M12 1c4 6 8 10 8 14a8 8 0 0 1-16 0c0-4 4-8 8-14Zm-5 13a5 5 0 0 0 5 6v-2a3 3 0 0 1-3-4Z",
  "M21 2C10 2 4 6 4 13c0 2 .5 3 1.5 4.5L2 21l1.5 1.5L7 19c1 .7 2 1 4 1 7 0 10-7 10-18ZM8 16.5C10 12 13 9 17 6.5 13 8 9 11 6.5 15.5Z",
  "M1 20 9 6l4 6.5L15.5 9 23 20Zm8-11-2.5 4.5 2.5-1 2 1.5Z",
];
const MOONS = [
  "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20ZM8 7a2 2 0 1 1 0 4 2 2 0 0 1 0-4Zm7 6a3 3 0 1 1 0 6 3 3 0 0 1 0-6Zm1-8a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Z",
  "M15 2a10 10 0 1 0 6 15A9 9 0 0 1 15 2Z",
];
/**
 * The strokes of 闇光火風水木土月, each in a box of 100 by 100, drawn for this page and under its licence: a system without
 * Japanese fonts shows them too.
 */
const SIGNS = [
  "M8 6V97M8 6H42V38H8M8 22H42M92 6V90Q92 97 82 95M92 6H58V38H92M58 22H92M50 42V50M30 52H70M38 56 42 64M62 56 58 64" +
    "M26 68H74M34 74H66V96H34ZM34 85H66",
  "M50 4V44M22 14 32 36M80 12 68 36M6 46H94M38 46Q38 80 8 94M62 46V84Q62 93 72 93H84Q93 93 93 78",
  "M50 5Q50 60 8 96M52 45Q66 78 95 96M22 30 30 50M80 26 66 48",
  "M18 8H80V70Q80 94 95 94V80M18 8V50Q18 80 5 96M62 20Q48 26 30 28M32 40H66V62H32ZM49 26V82M26 86 66 80M60 70 70 88",
  "M50 4V86Q50 97 37 90M8 32H38Q30 62 6 84M86 20 58 44M54 32Q66 66 95 86",
  "M7 30H93M50 4V97M48 32Q36 60 6 80M52 32Q64 60 94 80",
  "M18 38H82M50 6V90M6 91H94",
  "M26 8H78V86Q78 97 64 92M26 8V56Q26 82 10 96M26 35H78M26 61H78",
];

/** An attribute's emblem, as high as the letters beside it. */
export function Emblem(props: { attribute: number }) {
  return (
    <svg class={`naga-emblem naga-${props.attribute}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={EMBLEMS[props.attribute] ?? ""} fill-rule="evenodd" />
    </svg>
  );
}

/** A card, face up. What holds it says what it is. */
export function NagaCard(props: { card: number }) {
  const attribute = attributeOf(props.card);
  const number = numberOf(props.card);
  const emblem = attribute === MOON ? MOONS[number - 1] : EMBLEMS[attribute];
  return (
    <svg
      class={`french-card naga-card naga-${attribute}`}
      viewBox="0 0 60 84"
      aria-hidden="true"
      data-card={props.card}
    >
      <rect class="french-paper" x="1" y="1" width="58" height="82" rx="7" />
      <path class="naga-band" d="M1 8a7 7 0 0 1 7-7h44a7 7 0 0 1 7 7v24H1Z" />
      {attribute === MOON ? (
        <path class="naga-moon" d={MOONS[1] ?? ""} transform="translate(5 5)" />
      ) : (
        <text class="naga-number" x="7" y="26">
          {number}
        </text>
      )}
      <path class="naga-sign" d={SIGNS[attribute] ?? ""} transform="translate(33 7) scale(.2)" />
      <path d={emblem ?? ""} fill-rule="evenodd" transform="translate(12 38) scale(1.5)" />
    </svg>
  );
}
