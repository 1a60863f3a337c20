/**
 * The cards of the Kamikisen deck, drawn: value or letter in the corner, the kind's sign below it. The two colours differ in
 * ground, ink and mark: a red card is light and has a disc, a black one is dark and has a lozenge.
 *
 * The signs are strokes, so that no font is needed to read them. A card is a picture without a name for screen readers:
 * what holds it says what it is.
 */
import type { Face } from "~/cards/kamikisen_names";
import "~/cards/kamikisen.css";

/** The strokes of 船無兵弓車虎馬筆巫将王皇, each in a box of 100 by 100. */
const SIGNS: readonly string[] = [
  "M27 4 20 16M14 18V58Q14 80 5 94M14 18H42V86Q42 94 33 91M24 28 30 39M3 52 50 49M24 60 30 72" +
    "M66 8Q64 30 52 42M76 6Q80 28 97 40M61 56V95M61 56H91V95M61 89H91",
  "M26 4Q19 20 7 29M22 17H87M9 41H92M5 65H96M27 17V65M44 17V65M61 17V65M78 17V65M17 76 8 94M37 76 42 92M59 76 65 92M82 76 93 94",
  "M74 5Q50 12 26 15M27 13V60M27 36H86M63 36V60M5 60H95M37 70Q29 84 11 95M63 70Q76 82 91 94",
  "M22 9H77V34M26 34H77M26 34 21 59H80Q81 98 66 93L53 88",
  "M14 16H86M23 31V68M23 31H77V68M23 49H77M23 68H77M5 84H95M50 3V98",
  "M50 3V23M50 12H80M18 23V50Q18 76 6 95M18 23H90Q88 33 81 38M29 40 80 35M51 26V44Q51 51 59 51H80Q87 51 87 43" +
    "M39 61Q39 84 23 95M39 61H66V84Q66 93 75 93H86Q94 93 94 80",
  "M22 7V61M22 8H80M50 8V61M22 26H77M22 43H77M22 61H87Q87 88 79 95L69 91M12 73 7 93M29 74 33 90M45 73 51 88M61 71 68 84",
  "M25 3Q19 16 7 26M20 15H47M31 17 36 28M63 3Q59 14 50 24M60 14H94M75 16 81 26" +
    "M21 37H79V57M6 47H95M21 57H79M19 69H82M6 81H95M50 28V99",
  "M11 12H89M50 12V87M5 87H95M31 29Q27 52 11 68M30 45 43 63M72 29Q68 52 56 68M72 45 88 64",
  "M27 3V97M7 20 15 39M3 70 27 54M87 6Q68 15 41 18M46 26 52 39M64 23 68 36M90 19 79 38M38 55H96M75 43V87Q75 97 61 92M51 66 60 80",
  "M13 14H87M19 49H81M6 88H94M50 14V88",
  "M53 1 43 12M25 13V46M25 14H76V46M25 30H76M25 46H76M17 59H84M23 76H77M6 95H94M50 59V95",
];

/** A card, face up. */
export function KamikisenCard({ face }: { face: Face }) {
  return (
    <svg
      class={`kami-card kami-${face.colour ?? "plain"}`}
      viewBox="0 0 60 84"
      aria-hidden="true"
      data-card={face.code}
    >
      <rect class="kami-paper" x="1" y="1" width="58" height="82" rx="7" />
      <text class="kami-letter" x="8" y="27">
        {face.letter}
      </text>
      {face.colour === "red" && <circle class="kami-mark" cx="45" cy="18" r="7" />}
      {face.colour === "black" && <path class="kami-mark" d="M45 8 53 18 45 28 37 18Z" />}
      <Signs kinds={face.kinds} />
    </svg>
  );
}

function Signs({ kinds }: { kinds: readonly number[] }) {
  const [first, second] = kinds;
  if (first === undefined) return null;
  if (second === undefined)
    return <path class="kami-sign" d={SIGNS[first] ?? ""} transform="translate(11 37) scale(.39)" />;
  return (
    <>
      <path class="kami-sign" d={SIGNS[first] ?? ""} transform="translate(6 46) scale(.22)" />
      <path class="kami-sign" d={SIGNS[second] ?? ""} transform="translate(32 46) scale(.22)" />
    </>
  );
}

/** A card, face down. */
export function KamikisenBack() {
  return (
    <svg class="kami-card kami-back" viewBox="0 0 60 84" aria-hidden="true">
      <rect class="kami-paper" x="1" y="1" width="58" height="82" rx="7" />
      <path
        class="kami-net"
        d="M8 24 24 8M8 44 44 8M8 64 52 20M20 72 52 40M40 72 52 60M8 60 20 72M8 40 40 72M8 20 52 64M20 8 52 40M40 8 52 20"
      />
    </svg>
  );
}
