/** Cards move from where they lay to where they lie: seen, not only found. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const FLIGHT_MS = 220;
/** A card that moves less than this stays. */
const LEAST_PX = 24;
/** On a device that takes longer than this to say where the cards lie, they jump. */
const SLOW_MS = 12;

/** Where each card lies that is there once. */
function placesOf(board: Element): Map<string, DOMRect> {
  const places = new Map<string, DOMRect>();
  const twice = new Set<string>();
  for (const card of board.querySelectorAll<SVGElement>("svg[data-card]")) {
    const name = card.dataset.card ?? "";
    if (places.has(name)) twice.add(name);
    places.set(name, card.getBoundingClientRect());
  }
  for (const name of twice) places.delete(name);
  return places;
}

/** A picture of the card flies over the board, so that nothing on its way cuts it off; the card itself waits for it. */
function fly(card: SVGElement, from: DOMRect, to: DOMRect, over: Element) {
  const flying = card.cloneNode(true) as SVGElement;
  delete flying.dataset.card;
  const place = { left: `${to.left}px`, top: `${to.top}px`, inlineSize: `${to.width}px` };
  Object.assign(flying.style, { position: "fixed", pointerEvents: "none", zIndex: "3", ...place });
  over.append(flying);
  card.style.visibility = "hidden";
  const begin = `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / Math.max(1, to.width)})`;
  const flight = flying.animate([{ transform: begin, transformOrigin: "0 0" }, { transformOrigin: "0 0" }], {
    duration: FLIGHT_MS,
    easing: "ease-out",
  });
  const land = () => {
    flying.remove();
    card.style.visibility = "";
  };
  flight.onfinish = land;
  flight.oncancel = land;
}

/** Has the cards of a board fly whenever it is drawn anew; `overRef` is an empty element above it. */
export function useFlights(boardRef: RefObject<HTMLElement | null>, overRef: RefObject<HTMLElement | null>) {
  const lastRef = useRef<Map<string, DOMRect> | undefined>(undefined);
  useLayoutEffect(() => {
    const [board, over] = [boardRef.current, overRef.current];
    if (board === null || over === null || typeof board.animate !== "function") return;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) {
      lastRef.current = undefined;
      return;
    }
    const began = performance.now();
    const [last, now] = [lastRef.current, placesOf(board)];
    lastRef.current = now;
    if (last === undefined || performance.now() - began > SLOW_MS) return;
    for (const [name, to] of now) {
      const from = last.get(name);
      if (from === undefined || Math.hypot(from.left - to.left, from.top - to.top) < LEAST_PX) continue;
      const card = board.querySelector<SVGElement>(`svg[data-card="${name}"]`);
      if (card !== null) fly(card, from, to, over);
    }
  });
}
