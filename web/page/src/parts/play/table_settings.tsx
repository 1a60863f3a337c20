/** What a player chooses for the table, remembered in this browser: when a move is played, how the hand lies, and sounds. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { HAND_ORDERS, chooseHandOrder, handOrder } from "~/boards/hand_order";
import { t } from "~/i18n";
import { keep, kept } from "~/kept";
import { sound } from "~/parts/play/sounds";

const SOUNDS = "sounds";

const sounds = signal(kept("browser", SOUNDS) === "true");

/** A sound when something has happened, and another one when it is the reader's turn. */
export function useSounds(events: number, decisionId: string | undefined) {
  const lastRef = useRef({ events, decisionId });
  useEffect(() => {
    const last = lastRef.current;
    lastRef.current = { events, decisionId };
    if (!sounds.value) return;
    if (decisionId !== undefined && decisionId !== last.decisionId) sound("turn");
    else if (events > last.events) sound("card");
  }, [events, decisionId]);
}

export function TableSettings(props: { atOnce: boolean; changeAtOnce: ((value: boolean) => void) | undefined }) {
  const { atOnce, changeAtOnce } = props;
  return (
    <div class="play-settings">
      {changeAtOnce !== undefined && <Check value={atOnce} change={changeAtOnce} text={t("play.atOnce")} />}
      <Check
        value={handOrder.value === "rank"}
        change={(byRank) => {
          chooseHandOrder(HAND_ORDERS[byRank ? 1 : 0]);
        }}
        text={t("play.handByRank")}
      />
      <Check
        value={sounds.value}
        change={(on) => {
          sounds.value = on;
          keep("browser", SOUNDS, String(on));
          if (on) sound("turn");
        }}
        text={t("play.sounds")}
      />
    </div>
  );
}

function Check(props: { value: boolean; change: (value: boolean) => void; text: string }) {
  return (
    <label class="play-at-once">
      <input
        type="checkbox"
        checked={props.value}
        onChange={(event) => {
          props.change(event.currentTarget.checked);
        }}
      />{" "}
      {props.text}
    </label>
  );
}
