/**
 * Choosing a move: by pointing at a board's pieces, from a list in words, or by its text. What is asked for, and the
 * button that plays what is chosen, stand below the board, or at the bottom of the window while that is further down.
 */
import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { GameBoard, GameKey, PieceId, Who } from "~/boards";
import { type Choice, type Choices, choicesFrom, kept, legalMoves, onlyMove, toggled } from "~/boards/choices";
import type { Ask } from "~/boards/asks";
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
  /** Plays the move of this text; tells whether it was accepted. */
  readonly say: (text: string) => Promise<boolean>;
  /** Whose turn it is, in words. */
  readonly status: string;
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
  const asked = askOf(board, view, moves);
  return (
    <div class="chooser-whole">
      <PointingContext.Provider value={busy ? undefined : { open: from.open, chosen, toggle }}>
        {props.children}
      </PointingContext.Provider>
      <section class="chooser" aria-label={t("play.moves")}>
        <Bar>
          <Ready {...props} prompt={asked?.prompt ?? t("play.point")} from={from} chosen={chosen} play={play} />
          {chosen.size > 0 && (
            <button type="button" onClick={clear}>
              {t("play.clear")}
            </button>
          )}
        </Bar>
        <MoveList {...props} left={from.left} chosen={chosen} play={play} />
        <Say say={props.say} busy={busy} example={asked?.example} />
      </section>
    </div>
  );
}

/** A line below the board that stays in the window. */
export function Bar({ children }: { children: ComponentChildren }) {
  return <div class="chooser-ready">{children}</div>;
}

function askOf(board: GameBoard<GameKey> | undefined, view: View, moves: readonly Move[]): Ask | undefined {
  const made = moves.flatMap((move) => move.game.value ?? []);
  return view.game.value === undefined ? undefined : board?.ask(made, view.game.value);
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
function Ready(props: ChooserProps & Chosen & { from: Choices; prompt: string }) {
  const { chosen, busy, from } = props;
  if (busy || chosen.size === 0 || from.complete.length === 0) {
    return (
      <p>
        <strong>{props.status}</strong> <span role="status">{busy ? t("play.sending") : props.prompt}</span>
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
function Say(props: { say: ChooserProps["say"]; busy: boolean; example: string | undefined }) {
  const { say, busy, example } = props;
  const id = useId();
  const [text, setText] = useState("");
  const send = async () => {
    const accepted = await say(text.trim());
    if (accepted) setText((last) => (last === text ? "" : last)); // what was refused can be mended
  };
  return (
    <form
      class="chooser-say"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "" && !busy) void send();
      }}
    >
      <label for={id}>{t("play.byText")}</label>
      <input
        id={id}
        aria-describedby={example === undefined ? undefined : `${id}-example`}
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
      {example !== undefined && (
        <span id={`${id}-example`} class="quiet chooser-example">
          {t("play.example")} <code>{example}</code>
        </span>
      )}
    </form>
  );
}
