/** Cards on a board: ones that can be pointed at, and ones that are only seen. */
import type { ComponentChildren } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import { Piece, type Pointing, PointingContext } from "~/boards/piece";
import { handOrder } from "~/boards/hand_order";
import { type Order, numbered, pieceId, pointAt } from "~/boards/kamikisen/pieces";
import { CardRow, Fold } from "~/boards/table/cards";
import { Fan } from "~/boards/table/table";
import { KamikisenCard } from "~/cards/kamikisen";
import { type Face, faceLabel, faceNames } from "~/cards/kamikisen_names";
import { t } from "~/i18n";

interface CardPiecesProps {
  /** What the names of the pieces begin with, such as "hand". */
  readonly area: string;
  readonly faces: readonly Face[];
  /** The name of the whole, for screen readers and above the cards. */
  readonly label: string;
  /** Codes of cards that are new, so that they are marked. */
  readonly fresh?: readonly string[];
  /** The card that lies apart from the others, at the end. */
  readonly apart?: string | undefined;
}

/** Cards that can be pointed at, whichever of several equal ones. */
export function CardPieces({ area, faces, label, fresh = [], apart }: CardPiecesProps) {
  const [orders, setOrders] = useState<ReadonlyMap<string, Order>>(new Map());
  const byRank = area === "hand" && handOrder.value === "rank";
  const inRow = useMemo(() => {
    const lying = byRank ? [...faces].sort((left, right) => strengthOf(left) - strengthOf(right)) : faces;
    return numbered(inOrder(lying, apart));
  }, [faces, apart, byRank]);
  const outer = useContext(PointingContext);
  if (faces.length === 0) return null;
  const orderOf = (code: string): Order => {
    const count = faces.filter((face) => face.code === code).length;
    const order = orders.get(code);
    return order?.length === count ? order : Array.from({ length: count }, (_, copy) => copy);
  };
  const pieces = inRow.map(({ face, copy }) => {
    const id = pieceId(area, face.code, orderOf(face.code)[copy] ?? copy);
    return { face, copy, id };
  });
  const inner =
    outer &&
    withCopies(outer, area, pieces, orderOf, (code, order) => {
      setOrders((before) => new Map(before).set(code, order));
    });
  return (
    <section class={`kami-area is-${area}`}>
      <Heading>{label}</Heading>
      <PointingContext.Provider value={inner}>
        <Fan count={pieces.length} label={label}>
          {pieces.map(({ face, id }, place) => (
            <Piece
              key={place}
              id={id}
              label={faceLabel(face)}
              class={cardClass(face, place, pieces.length, fresh, apart)}
            >
              <KamikisenCard face={face} />
            </Piece>
          ))}
        </Fan>
      </PointingContext.Provider>
    </section>
  );
}

function strengthOf({ kinds }: Face): number {
  return kinds[0] ?? 0;
}

function inOrder(faces: readonly Face[], apart: string | undefined): readonly Face[] {
  const place = apart === undefined ? -1 : faces.findLastIndex((face) => face.code === apart);
  const last = faces[place];
  return last === undefined ? faces : [...faces.slice(0, place), ...faces.slice(place + 1), last];
}

function cardClass(
  face: Face,
  place: number,
  count: number,
  fresh: readonly string[],
  apart: string | undefined,
): string {
  const isApart = apart === face.code && place === count - 1;
  return `card${isApart ? " apart" : ""}${isApart || fresh.includes(face.code) ? " fresh" : ""}`;
}

/** Pointing where every copy of a card can be pointed at as long as one of them can. */
function withCopies(
  outer: Pointing,
  area: string,
  pieces: readonly { face: Face; copy: number; id: string }[],
  orderOf: (code: string) => Order,
  setOrder: (code: string, order: Order) => void,
): Pointing {
  const open = new Set(outer.open);
  for (const { face, id } of pieces) {
    const copies = orderOf(face.code).map((copy) => pieceId(area, face.code, copy));
    if (copies.some((copyId) => outer.open.has(copyId) || outer.chosen.has(copyId))) open.add(id);
  }
  const toggle = (id: string) => {
    const piece = pieces.find((candidate) => candidate.id === id);
    if (piece === undefined) {
      outer.toggle(id);
      return;
    }
    const idOfCopy = (copy: number) => pieceId(area, piece.face.code, copy);
    const pointed = pointAt(
      orderOf(piece.face.code),
      piece.copy,
      (copy) => outer.chosen.has(idOfCopy(copy)),
      (copy) => outer.open.has(idOfCopy(copy)),
    );
    setOrder(piece.face.code, pointed.order);
    if (pointed.toggle !== undefined) outer.toggle(idOfCopy(pointed.toggle));
  };
  return { open, chosen: outer.chosen, toggle };
}

/** Cards that are only seen, one picture for screen readers. */
export function Cards(props: { faces: readonly Face[]; small?: boolean; fresh?: boolean }) {
  if (props.faces.length === 0) return null;
  return (
    <CardRow label={faceNames(props.faces)} small={props.small === true} class={props.fresh === true ? "fresh" : ""}>
      {props.faces.map((face, place) => (
        <KamikisenCard key={place} face={face} />
      ))}
    </CardRow>
  );
}

/** Small cards under a name, as a fold that is opened for them; nothing where there are none. */
export function CardFold(props: { label: string; faces: readonly Face[] }) {
  if (props.faces.length === 0) return null;
  return (
    <Fold name={t("kamikisen.counted", { what: props.label, count: props.faces.length })}>
      <Cards faces={props.faces} small />
    </Fold>
  );
}

/** The name of a part of the board. */
export function Heading(props: { children: ComponentChildren }) {
  return (
    <span class="kami-heading" aria-hidden="true">
      {props.children}
    </span>
  );
}
