/** Cards move from where they lay to where they lie: seen, not only found. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

const FLIGHT_MS = 220;
/** A card that moves less than this stays. */
const MIN_FLIGHT_PIXELS = 24;
/** On a device that takes longer than this to say where the cards lie, they jump. */
const SLOW_MS = 12;

/** Where a card lies on its board, whose own place changes when the page scrolls. */
interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** Where each card lies that is there once. */
function placesOf(board: Element): Map<string, Place> {
  const places = new Map<string, Place>();
  const twice = new Set<string>();
  const origin = board.getBoundingClientRect();
  for (const card of board.querySelectorAll<SVGElement>("svg[data-card]")) {
    const name = card.dataset.card ?? "";
    if (places.has(name)) twice.add(name);
    const { left, top, width } = card.getBoundingClientRect();
    places.set(name, { left: left - origin.left, top: top - origin.top, width });
  }
  for (const name of twice) places.delete(name);
  return places;
}

/** What ends the flight of a card that is in the air. */
const landings = new WeakMap<SVGElement, () => void>();

/** A picture of the card flies over the board, so that nothing on its way cuts it off; the card itself waits for it. */
function fly(card: SVGElement, from: Place, to: Place, board: DOMRect, over: Element) {
  landings.get(card)?.(); // else the picture of a card that is in the air would be as hidden as the card
  const flying = card.cloneNode(true) as SVGElement;
  delete flying.dataset.card;
  const place = { left: `${board.left + to.left}px`, top: `${board.top + to.top}px`, inlineSize: `${to.width}px` };
  Object.assign(flying.style, { position: "fixed", pointerEvents: "none", zIndex: "3", ...place });
  over.append(flying);
  card.style.visibility = "hidden";
  const begin = `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / Math.max(1, to.width)})`;
  const flight = flying.animate([{ transform: begin, transformOrigin: "0 0" }, { transformOrigin: "0 0" }], {
    duration: FLIGHT_MS,
    easing: "ease-out",
  });
  const land = () => {
    flight.onfinish = flight.oncancel = null;
    flying.remove();
    card.style.visibility = "";
    landings.delete(card);
  };
  flight.onfinish = flight.oncancel = land;
  landings.set(card, land);
}

/** Has the cards of a board fly whenever it is drawn anew; `overRef` is an empty element above it. */
export function useFlights(boardRef: RefObject<HTMLElement | null>, overRef: RefObject<HTMLElement | null>) {
  const lastRef = useRef<Map<string, Place> | undefined>(undefined);
  useEffect(() => {
    const board = boardRef.current;
    // A part of the board that is scrolled takes its cards along, and a window of another size all of them: none flew.
    const forget = () => {
      lastRef.current = undefined;
    };
    board?.addEventListener("scroll", forget, { capture: true, passive: true });
    addEventListener("resize", forget);
    return () => {
      board?.removeEventListener("scroll", forget, { capture: true });
      removeEventListener("resize", forget);
    };
  }, [boardRef]);
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
    const origin = board.getBoundingClientRect();
    for (const [name, to] of now) {
      const from = last.get(name);
      if (from === undefined || Math.hypot(from.left - to.left, from.top - to.top) < MIN_FLIGHT_PIXELS) continue;
      const card = board.querySelector<SVGElement>(`svg[data-card="${name}"]`);
      if (card !== null) fly(card, from, to, origin, over);
    }
  });
}
