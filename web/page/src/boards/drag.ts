/** Dragging with the mouse, beside clicking: a piece is taken to another piece, or onto the table. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PieceId } from "~/boards";

/** A press that moves less than this is a click. */
const MIN_DRAG_PIXELS = 8;

/** Called with the piece that was taken, and with the one on which it was let go; undefined where that is the table. */
type Drop = (from: PieceId, to: PieceId | undefined) => void;

/** Has the pieces within a place be dragged; what is let go beside the board stays where it was. */
export function useDrag(placeRef: RefObject<HTMLElement | null>, drop: Drop) {
  const dropRef = useRef(drop);
  useEffect(() => {
    dropRef.current = drop;
  });
  useEffect(() => {
    const place = placeRef.current;
    if (place === null) return undefined;
    let endLast: (() => void) | undefined;
    const begin = (event: PointerEvent) => {
      endLast?.();
      endLast = undefined;
      // A finger that moves scrolls the board.
      if (event.button !== 0 || event.pointerType === "touch") return;
      const piece = pieceAt(event.target);
      if (piece instanceof HTMLButtonElement) endLast = follow(piece, event, dropRef);
    };
    place.addEventListener("pointerdown", begin);
    return () => {
      place.removeEventListener("pointerdown", begin);
      endLast?.();
    };
  }, [placeRef]);
}

function pieceAt(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-piece]") : null;
}

/** Follows the pointer until it is let go; what ends that before. */
function follow(piece: HTMLElement, begun: PointerEvent, dropRef: RefObject<Drop>): () => void {
  let picture: HTMLElement | undefined;
  const move = (event: PointerEvent) => {
    const [right, down] = [event.clientX - begun.clientX, event.clientY - begun.clientY];
    if (picture === undefined && Math.hypot(right, down) < MIN_DRAG_PIXELS) return;
    picture ??= pictureOf(piece);
    picture.style.transform = `translate(${right}px, ${down}px)`;
  };
  const up = (event: PointerEvent) => {
    const moved = picture !== undefined;
    end();
    if (!moved) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const [from, to] = [piece.dataset.piece ?? "", pieceAt(under)?.dataset.piece];
    if (to === from) return; // a hand that shakes: the click chooses the piece
    // The click that ends this would choose the piece again.
    const swallow = (click: Event) => {
      click.stopPropagation();
    };
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => {
      removeEventListener("click", swallow, { capture: true });
    });
    if (to !== undefined || under?.closest(".board-middle") instanceof Element) dropRef.current(from, to);
  };
  const end = () => {
    picture?.remove();
    picture = undefined;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", end);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("pointercancel", end);
  return end;
}

/** What is seen under the pointer: the piece itself stays where it is until the move is made. */
function pictureOf(piece: HTMLElement): HTMLElement {
  const { left, top, width, height } = piece.getBoundingClientRect();
  const picture = document.createElement("div");
  picture.className = "dragged";
  picture.setAttribute("aria-hidden", "true");
  picture.append(...[...piece.children].map((child) => child.cloneNode(true)));
  for (const card of picture.querySelectorAll<SVGElement>("[data-card]")) delete card.dataset.card;
  Object.assign(picture.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  document.body.append(picture);
  return picture;
}
