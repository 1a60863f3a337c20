/** A decision in each of its states: what is asked for, and the button that plays what is chosen. */
import { create } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import type { GameBoard, GameKey } from "~/boards";
import { Chooser } from "~/boards/chooser";
import { CardPiece } from "~/boards/french/cards";
import { board } from "~/boards/napoleon";
import { Fan } from "~/boards/table/table";
import { cardCode } from "~/cards/french_names";
import { MoveSchema, ViewSchema } from "~/gen/fudaba/v1/game_pb";
import { NapoleonCard, NapoleonPhase } from "~/gen/fudaba/v1/napoleon_pb";
import { type MessageKey, t } from "~/i18n";

const HAND = [
  NapoleonCard.NAPOLEON_CARD_2C,
  NapoleonCard.NAPOLEON_CARD_JC,
  NapoleonCard.NAPOLEON_CARD_JD,
  NapoleonCard.NAPOLEON_CARD_KH,
  NapoleonCard.NAPOLEON_CARD_JS,
];
const VIEW = create(ViewSchema, {
  game: { case: "napoleon", value: { hand: HAND, phase: NapoleonPhase.TRICKS } },
});
const MOVES = HAND.map((card) =>
  create(MoveSchema, { game: { case: "napoleon", value: { kind: { case: "play", value: { card } } } } }),
);
const STATES = {
  open: "parts.stateOpen",
  busy: "parts.stateBusy",
  refused: "parts.stateRefused",
  none: "parts.stateNone",
  over: "parts.stateOver",
} as const satisfies Record<string, MessageKey>;
type State = keyof typeof STATES;

export function PlaySample() {
  const [state, setState] = useState<State>("open");
  return (
    <>
      <label class="row">
        {t("parts.state")}
        <select
          class="small"
          value={state}
          onChange={(event) => {
            setState(event.currentTarget.value as State);
          }}
        >
          {Object.entries(STATES).map(([name, key]) => (
            <option key={name} value={name}>
              {t(key)}
            </option>
          ))}
        </select>
      </label>
      <Chooser
        board={board as unknown as GameBoard<GameKey>}
        view={VIEW}
        viewer={{ seat: 0, seats: [] }}
        decisionId={state === "none" || state === "over" ? undefined : "sample"}
        moves={MOVES}
        count={MOVES.length}
        busy={state === "busy"}
        atOnce={false}
        canTakeBack
        deadline={Infinity}
        play={() => undefined}
        say={() => Promise.resolve(false)}
        status={t(STATES[state])}
        instead={state === "over" ? <p>{t("parts.stateOver")}</p> : undefined}
        refusal={state === "refused" ? t("parts.refused") : ""}
        drawer={(moves) => moves}
      >
        <div class="board french">
          <div class="board-near">
            <Fan count={HAND.length} label={t("parts.hand")}>
              {HAND.map((card) => (
                <CardPiece key={card} id={`hand:${cardCode(card)}`} card={card} />
              ))}
            </Fan>
          </div>
        </div>
      </Chooser>
    </>
  );
}
