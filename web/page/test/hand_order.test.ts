/** The hand lies as its player chose, and so it does the next time. */
import { afterEach, expect, it } from "vitest";
import { chooseHandOrder, inHandOrder } from "~/boards/hand_order";
import { kept } from "~/kept";

afterEach(() => {
  chooseHandOrder("suit");
});

it("by rank, equal ranks as they were told, or as the service tells it", () => {
  const hand = ["C9", "D2", "H9", "S1"];
  const rank = (card: string) => Number(card.charAt(1));
  expect(inHandOrder(hand, rank)).toEqual(hand);
  chooseHandOrder("rank");
  expect(inHandOrder(hand, rank)).toEqual(["S1", "D2", "C9", "H9"]);
  expect(kept("browser", "hand-order")).toBe("rank");
});
