/** Houniek's legal melds from the view alone, for hands with more of them than the service lists: nones make very many. */
import { create } from "@bufbuild/protobuf";
import type { MoveOf, PieceId, ViewOf } from "~/boards";
import { CIRCLE, NO_KIND, type Reading, beats, readingPiece, readingsOf } from "~/boards/houniek/melds";
import { PASS, readingOf } from "~/boards/houniek/words";
import { pieceIds } from "~/boards/kamikisen/pieces";
import { isRed, kindsOf } from "~/boards/kamikisen/readings";
import { facesOfCards } from "~/cards/kamikisen_names";
import { HouniekMoveSchema } from "~/gen/fudaba/v1/houniek_pb";
import { type KamikisenCard, KamikisenForm, type KamikisenKind } from "~/gen/fudaba/v1/kamikisen_pb";

type View = ViewOf<"houniek">;
/** What a meld has to be, whatever its colours. */
type Fits = (reading: Reading, size: number) => boolean;

export function beyond(
  chosen: ReadonlySet<PieceId>,
  view: View,
): { readonly open: ReadonlySet<PieceId>; readonly moves: readonly MoveOf<"houniek">[] } {
  if (chosen.has(PASS))
    return { open: new Set(), moves: [create(HouniekMoveSchema, { kind: { case: "pass", value: {} } })] };
  const pieces = pieceIds("hand", facesOfCards(view.hand));
  const picked = view.hand.filter((_, place) => chosen.has(pieces[place] ?? ""));
  const all = readingsOf(picked);
  const legal = all.filter((reading) => fitsTable(view)(reading, picked.length) && hasColour(picked, view));
  const isSaid = [...chosen].some((piece) => piece.startsWith("as:"));
  const meant = isSaid ? legal.filter((reading) => chosen.has(readingPiece(reading))) : legal;
  const moves = meant.map(({ form, foot }) =>
    create(HouniekMoveSchema, {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- places on the circle are counted with
      kind: { case: "lay", value: { meld: { cards: picked, form, foot: foot as KamikisenKind } } },
    }),
  );
  if (isSaid) return { open: new Set(), moves };
  const next = pieces.filter((piece, place) => {
    const card = view.hand[place];
    const isFirst = pieces.every(
      (earlier, index) => index >= place || view.hand[index] !== card || chosen.has(earlier),
    );
    return !chosen.has(piece) && card !== undefined && isFirst && leadsOn([...picked, card], view);
  });
  const said = all.length > 1 ? legal.map(readingPiece) : [];
  const pass = chosen.size === 0 && view.table.length > 0 ? [PASS] : [];
  return { open: new Set([...next, ...said, ...pass]), moves };
}

/** What may be laid on the newest meld (HO6), its colours aside; anything where there is none. */
function fitsTable(view: View): Fits {
  const newest = view.table.at(-1)?.meld;
  const lies = readingOf(newest);
  if (newest === undefined || lies === undefined) return () => true;
  const { length } = newest.cards;
  return ({ form, foot }, size) =>
    (form === lies.form && size === length && beats(foot, lies.foot)) || (size > length && foot === lies.foot);
}

function hasColour(cards: readonly number[], view: View): boolean {
  const newest = view.table.at(-1)?.meld?.cards;
  return newest === undefined || cards.some((card) => newest.some((other) => isRed(other) === isRed(card)));
}

/** Whether some cards are a legal meld, or become one with more of the hand. */
function leadsOn(cards: readonly KamikisenCard[], view: View): boolean {
  if (hasColour(cards, view)) return canBe(cards, view);
  const rest = [...view.hand];
  for (const card of cards) rest.splice(rest.indexOf(card), 1);
  return rest.some((card) => hasColour([card], view) && canBe([...cards, card], view));
}

function canBe(cards: readonly number[], view: View): boolean {
  const fits = fitsTable(view);
  if (cards.length === 1 && readingsOf(cards).some((reading) => fits(reading, 1))) return true;
  const have = countKinds(view.hand);
  const used = countKinds(cards);
  for (let size = Math.max(2, cards.length); size <= view.hand.length; size += 1) {
    for (const [start, foot] of CIRCLE.entries()) {
      if (fits({ form: KamikisenForm.SET, foot }, size) && canFill([foot], size, have, used)) return true;
      if (size > CIRCLE.length || !fits({ form: KamikisenForm.RUN, foot }, size)) continue;
      const kinds = Array.from({ length: size }, (_, place) => CIRCLE[(start + place) % CIRCLE.length] ?? foot);
      if (canFill(kinds, 1, have, used)) return true;
    }
  }
  return false;
}

/** Whether a hand can fill so many places of each of some kinds, using all that is used, nones for what is missing. */
function canFill(kinds: readonly number[], each: number, have: readonly number[], used: readonly number[]): boolean {
  const has = (counts: readonly number[], kind: number) => counts[kind] ?? 0;
  const isOut = used.some((count, kind) => kind !== NO_KIND && count > (kinds.includes(kind) ? each : 0));
  if (isOut) return false;
  const missing = kinds.reduce((sum, kind) => sum + Math.max(0, each - has(have, kind)), 0);
  const nones = Math.max(missing, has(used, NO_KIND));
  const real = kinds.reduce((sum, kind) => sum + has(used, kind), 0);
  const places = kinds.length * each;
  return nones <= has(have, NO_KIND) && real + nones <= places && nones < places;
}

function countKinds(cards: readonly number[]): number[] {
  const counts: number[] = Array.from({ length: 13 }, () => 0);
  for (const kind of kindsOf(cards)) counts[kind + 1] = (counts[kind + 1] ?? 0) + 1;
  return counts;
}
