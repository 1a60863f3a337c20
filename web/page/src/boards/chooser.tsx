/** Choosing a move: by pointing at a board's pieces, from a list in words, or by its text. */
import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { GameBoard, GameKey, PieceId, Who } from "~/boards";
import { type Choice, type Choices, choicesFrom, kept, legalMoves, onlyMove, toggled } from "~/boards/choices";
import { PointingContext } from "~/boards/piece";
import type { Move, View } from "~/gen/fudaba/v1/game_pb";
import { t } from "~/i18n";
import "~/boards/chooser.css";

/** More buttons than this help nobody: pointing and text find the others. */
const LISTED = 40;

export interface ChooserProps {
  readonly board: GameBoard<GameKey> | undefined;
  readonly view: View;
  readonly who: Who;
  /** The legal moves that were sent: all of them, or the first of very many. */
  readonly moves: readonly Move[];
  /** How many there are. */
  readonly count: number;
  /** Whether a move is on its way, so that no other can be chosen. */
  readonly busy: boolean;
  /** Whether a move is played as soon as what is pointed at can mean nothing else. */
  readonly atOnce: boolean;
  readonly play: (choice: Choice) => void;
  /** Plays the move of this text. */
  readonly say: (text: string) => void;
  /** The board, whose pieces can be pointed at. */
  readonly children: ComponentChildren;
}

export function Chooser(props: ChooserProps) {
  const { board, view, moves, count, busy } = props;
  const legal = useMemo(() => legalMoves(board, view, moves, count), [board, view, moves, count]);
  const [pointed, setPointed] = useState<ReadonlySet<PieceId>>(new Set());
  const chosen = kept(legal, pointed);
  const from = choicesFrom(legal, chosen);
  const clear = () => {
    setPointed(new Set());
  };
  const play = (choice: Choice) => {
    clear();
    props.play(choice);
  };
  const toggle = (piece: PieceId) => {
    const next = toggled(legal, chosen, piece);
    const only = props.atOnce ? onlyMove(choicesFrom(legal, next)) : undefined;
    if (only !== undefined) play(only);
    else setPointed(next);
  };
  return (
    <>
      <PointingContext.Provider value={busy ? undefined : { open: from.open, chosen, toggle }}>
        {props.children}
      </PointingContext.Provider>
      <section class="chooser" aria-label={t("play.moves")}>
        <div class="chooser-ready">
          <Ready {...props} from={from} chosen={chosen} play={play} />
          {chosen.size > 0 && (
            <button type="button" onClick={clear}>
              {t("play.clear")}
            </button>
          )}
        </div>
        <MoveList {...props} left={from.left} chosen={chosen} play={play} />
        <Say say={props.say} busy={busy} />
      </section>
    </>
  );
}

/** A move in words, or its place where no board knows it. */
function inWords({ board, view, who }: ChooserProps, { move, index = 0 }: Choice): string {
  const [made, seen] = [move.game.value, view.game.value];
  return board === undefined || made === undefined || seen === undefined
    ? t("play.moveNumber", { number: index + 1 })
    : board.describe(made, seen, who);
}

interface Chosen {
  readonly chosen: ReadonlySet<PieceId>;
}

/** The moves that are chosen whole: a button each, the first thing after the board. */
function Ready(props: ChooserProps & Chosen & { from: Choices }) {
  const { chosen, busy, from } = props;
  if (busy || chosen.size === 0 || from.complete.length === 0) {
    const hint = busy ? "play.sending" : chosen.size === 0 ? "play.point" : "play.pointOn";
    return (
      <p class="quiet" role="status">
        {t(hint)}
      </p>
    );
  }
  return (
    <>
      {from.complete.slice(0, LISTED).map((choice) => (
        <button
          type="button"
          class="main"
          key={inWords(props, choice)}
          onClick={() => {
            props.play(choice);
          }}
        >
          {t("play.playIt", { move: inWords(props, choice) })}
        </button>
      ))}
    </>
  );
}

/** The moves that go on from what is chosen, in words: whoever cannot point at a board plays from here. */
function MoveList(props: ChooserProps & Chosen & { left: readonly Choice[] }) {
  const { left, count, moves, chosen } = props;
  const all = chosen.size === 0 ? count : left.length;
  const more = all - Math.min(LISTED, left.length);
  return (
    <details open={moves.length <= 8}>
      <summary>{t("play.movesCount", { count: all })}</summary>
      <ul class="chooser-list">
        {left.slice(0, LISTED).map((choice) => (
          <li key={choice.index ?? inWords(props, choice)}>
            <button
              type="button"
              disabled={props.busy}
              onClick={() => {
                props.play(choice);
              }}
            >
              {inWords(props, choice)}
            </button>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="quiet">{t("play.movesMore", { count: more })}</p>}
    </details>
  );
}

/** A move by its text, as the rule page writes it. */
function Say({ say, busy }: { say: (text: string) => void; busy: boolean }) {
  const id = useId();
  const [text, setText] = useState("");
  return (
    <form
      class="chooser-say"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "" || busy) return;
        say(text.trim());
        setText("");
      }}
    >
      <label for={id}>{t("play.byText")}</label>
      <input
        id={id}
        value={text}
        autoComplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <button type="submit" disabled={busy}>
        {t("play.send")}
      </button>
    </form>
  );
}
