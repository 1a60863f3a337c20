/** High Card's board: the view field by field, and the moves by their texts. Replace it piece by piece. */
import type { GameBoard } from "~/boards";
import { fieldsBoard } from "~/boards/fields/board";
import { seatName } from "~/boards/seats";
import { type MessageKey, t } from "~/i18n";

export const board: GameBoard<"highCard"> = fieldsBoard("high_card", {
  near: ["hand", "chosen"],
  bySeat: ["scores"],
  word: (name) => t(`high_card.${name}` as MessageKey),
  show: (name, value, seats) => {
    if (name === "deal") return String(Number(value) + 1);
    if (name === "dealer" || name === "seat") return seatName(seats, Number(value));
    return value === 0 && name !== "scores" ? t("high_card.pass") : undefined;
  },
});
