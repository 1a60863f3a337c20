/** How the cards of the own hand lie: by suit or colour, as the service tells them, or by rank. It is remembered. */
import { signal } from "@preact/signals";
import { keep, kept } from "~/kept";

export const HAND_ORDERS = ["suit", "rank"] as const;
export type HandOrder = (typeof HAND_ORDERS)[number];

const KEPT = "hand-order";

export const handOrder = signal<HandOrder>(kept("browser", KEPT) === "rank" ? "rank" : "suit");

export function chooseHandOrder(order: HandOrder): void {
  keep("browser", KEPT, order);
  handOrder.value = order;
}

/** The cards of a hand, which are told by suit, in the order that was chosen. */
export function inHandOrder<T>(cards: readonly T[], rank: (card: T) => number): readonly T[] {
  return handOrder.value === "suit" ? cards : [...cards].sort((left, right) => rank(left) - rank(right));
}
