/** The cards of the Kamikisen deck and what they are called. Numbers are those of the contract's enums. */
import { type MessageKey, t } from "~/i18n";

/** What is seen of a card: its kind, and its colour in games where colours count. */
export interface Face {
  /** Short and the same in every language, as texts of moves have it: `r7`, `bS`; without a colour `7`. */
  readonly code: string;
  /** What stands in the card's corner: its value, or its letter. */
  readonly letter: string;
  /** Which signs are drawn, 0 ship to 11 emperor; two for a card that may be king or emperor. */
  readonly kinds: readonly number[];
  readonly colour: "red" | "black" | undefined;
}

const KIND_COUNT = 12;
const KING = 10;
const EMPEROR = 11;
const LETTERS = "S012345678KT";
const KIND_KEYS: readonly MessageKey[] = [
  "kamikisen.ship",
  "kamikisen.none",
  "kamikisen.soldier",
  "kamikisen.bow",
  "kamikisen.chariot",
  "kamikisen.tiger",
  "kamikisen.horse",
  "kamikisen.brush",
  "kamikisen.shaman",
  "kamikisen.general",
  "kamikisen.king",
  "kamikisen.emperor",
];

/** The face of a card: `KamikisenCard`, 1 to 24. */
export function faceOfCard(card: number): Face {
  const kind = (card - 1) % KIND_COUNT;
  const red = card <= KIND_COUNT;
  const letter = LETTERS[kind] ?? "?";
  return { code: `${red ? "r" : "b"}${letter}`, letter, kinds: [kind], colour: red ? "red" : "black" };
}

/** The face of a card of which only the strength counts: `KamikisenStrength`, 1 to 11. */
export function faceOfStrength(strength: number): Face {
  const kind = strength - 1;
  const letter = LETTERS[kind] ?? "?";
  return { code: letter, letter, kinds: kind === KING ? [KING, EMPEROR] : [kind], colour: undefined };
}

export function facesOfCards(cards: readonly number[]): Face[] {
  return cards.map(faceOfCard);
}

export function facesOfStrengths(strengths: readonly number[]): Face[] {
  return strengths.map(faceOfStrength);
}

/** A card in a sentence: "red 7", "black ship". */
export function faceName(face: Face): string {
  const name = plainName(face);
  if (face.colour === undefined) return name;
  return t(face.colour === "red" ? "kamikisen.red" : "kamikisen.black", { card: name });
}

/** A card for screen readers, with its value and what is drawn on it. */
export function faceLabel(face: Face): string {
  const kind = face.kinds.map(kindName).join(t("kamikisen.or"));
  const value = /\d/.test(face.letter) ? t("kamikisen.withValue", { kind, value: face.letter }) : kind;
  if (face.colour === undefined) return value;
  return t(face.colour === "red" ? "kamikisen.red" : "kamikisen.black", { card: value });
}

/** Several cards in a sentence. */
export function faceNames(faces: readonly Face[]): string {
  return faces.map(faceName).join(t("kamikisen.comma"));
}

/** A kind, `KamikisenKind` less one: "7", "ship". */
export function kindWord(kind: number): string {
  return plainName({ letter: LETTERS[kind] ?? "?", kinds: [kind] });
}

/** A strength, `KamikisenStrength`: "7", "ship", "king or emperor". */
export function strengthWord(strength: number): string {
  return plainName(faceOfStrength(strength));
}

/** Values in English, which its readers need not learn; signs in Japanese. */
function plainName(face: Pick<Face, "letter" | "kinds">): string {
  const kind = face.kinds.map(kindName).join(t("kamikisen.or"));
  return /\d/.test(face.letter) ? t("kamikisen.valued", { kind, value: face.letter }) : kind;
}

function kindName(kind: number): string {
  const key = KIND_KEYS[kind];
  return key === undefined ? "?" : t(key);
}
