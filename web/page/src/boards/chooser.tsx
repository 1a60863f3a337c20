/**
 * Choosing a move: by pointing at a board's pieces, from a list in words, or by its text. What is asked for, and the
 * button that plays what is chosen, stand below the board, always at the same place.
 */
import type { ComponentChildren } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { GameBoard, GameKey, PieceId, Viewer } from "~/boards";
import { type Choice, type Choices, choicesFrom, kept, legalMoves, onlyMove, toggled } from "~/boards/choices";
import type { Ask } from "~/boards/asks";
import { useDrag } from "~/boards/drag";
import { hasTimeFor, useHeld } from "~/boards/held";
import { PointingContext } from "~/boards/piece";
import type { Move, View } from "~/gen/fudaba/v1/game_pb";
import { t } from "~/i18n";
import "~/boards/chooser.css";

/** More buttons than this help nobody: pointing and text find the others. */
const MAX_LISTED_MOVES = 40;

export interface ChooserProps {
  readonly board: GameBoard<GameKey> | undefined;
  readonly view: View;
  readonly viewer: Viewer;
  /** The id of the open decision; undefined while there is none. */
  readonly decisionId: string | undefined;
  /** The legal moves that were sent: all of them, or the first of very many. */
  readonly moves: readonly Move[];
  /** How many there are. */
  readonly count: number;
  /** Whether a move is on its way, so that no other can be chosen. */
  readonly busy: boolean;
  /** Whether a move is played as soon as what is pointed at can mean nothing else. */
  readonly atOnce: boolean;
  /** Whether such a move can be taken back for a moment before it is played. */
  readonly canTakeBack: boolean;
  /** When the time of the decision is over, on the clock of `performance.now()`. */
  readonly deadline: number;
  readonly play: (choice: Choice) => void;
  /** Plays the move of this text; tells whether it was accepted. */
  readonly say: (text: string) => Promise<boolean>;
  /** Whose turn it is, in words. */
  readonly status: string;
  /** What stands below the board instead of a decision: how the match ended. */
  readonly instead: ComponentChildren;
  /** What went wrong with the last move, in words. */
  readonly refusal: string;
  /** What need not be seen all the time, made of the list of moves and the field for their text. */
  readonly drawer: (moves: ComponentChildren) => ComponentChildren;
  /** The board, whose pieces can be pointed at. */
  readonly children: ComponentChildren;
}

/** What is pointed at; forgotten when the decision is closed. */
function usePointed(open: boolean): [ReadonlySet<PieceId>, (pieces: ReadonlySet<PieceId>) => void] {
  const [pointed, setPointed] = useState<ReadonlySet<PieceId>>(NONE);
  const [wasOpen, setWasOpen] = useState(open);
  if (wasOpen !== open) {
    setWasOpen(open);
    setPointed(NONE);
  }
  return [open ? pointed : NONE, setPointed];
}

const NONE: ReadonlySet<PieceId> = new Set();

export function Chooser(props: ChooserProps) {
  const { board, view, moves, count, decisionId } = props;
  const open = decisionId !== undefined;
  const legal = useMemo(() => legalMoves(board, view, moves, count), [board, view, moves, count]);
  const [pointed, setPointed] = usePointed(open);
  const wholeRef = useRef<HTMLDivElement>(null);
  const { held, hold, takeBack } = useHeld(decisionId, props.play, wholeRef);
  const busy = props.busy || held !== undefined;
  const chosen = kept(legal, pointed);
  const from = choicesFrom(legal, chosen);
  const clear = () => {
    setPointed(NONE);
  };
  const play = (choice: Choice) => {
    clear();
    props.play(choice);
  };
  const toggle = (piece: PieceId) => {
    choose(toggled(legal, chosen, piece), piece, props.atOnce);
  };
  const choose = (next: ReadonlySet<PieceId>, piece: PieceId, atOnce: boolean) => {
    const only = atOnce ? onlyMove(choicesFrom(legal, next)) : undefined;
    if (only === undefined) setPointed(next);
    else if (!props.canTakeBack || !hasTimeFor(props.deadline)) play(only);
    else {
      clear();
      hold(only, piece);
    }
  };
  // To take a piece somewhere says as much as to choose it and to confirm that.
  useDrag(wholeRef, (piece, to) => {
    if (busy || !open) return;
    const taken = chosen.has(piece) ? chosen : toggled(legal, chosen, piece);
    const goesOn = to !== undefined && choicesFrom(legal, taken).open.has(to);
    choose(goesOn ? toggled(legal, taken, to) : taken, piece, to === undefined || goesOn);
  });
  const twice = (piece: PieceId) => {
    const seen = view.game.value;
    const touching = legal.all.filter(({ pieces }) => pieces.has(piece));
    const made = touching.flatMap(({ move }) => move.game.value ?? []);
    const place = seen === undefined ? undefined : board?.obvious?.(piece, made, seen);
    const choice = place === undefined ? undefined : touching[place];
    if (choice !== undefined) play(choice);
  };
  const asked = open ? askOf(board, view, moves) : undefined;
  const bar = { ...props, busy, prompt: open ? (asked?.prompt ?? t("play.point")) : "", from, chosen, play, clear };
  return (
    <>
      <div class="chooser-whole" ref={wholeRef}>
        <PointingContext.Provider value={busy || !open ? undefined : { open: from.open, chosen, toggle, twice }}>
          {props.children}
        </PointingContext.Provider>
        <section class="chooser" aria-label={t("play.moves")} data-decision={decisionId}>
          {props.instead === undefined ? (
            <Bar {...bar} held={held} takeBack={takeBack} />
          ) : (
            <div class="chooser-over">{props.instead}</div>
          )}
        </section>
      </div>
      {props.drawer(
        open && (
          <>
            <MoveList {...props} busy={busy} left={from.left} chosen={chosen} play={play} />
            <Say say={props.say} busy={busy} example={asked?.example} />
          </>
        ),
      )}
    </>
  );
}

interface BarProps extends ChooserProps, Chosen {
  readonly prompt: string;
  readonly from: Choices;
  readonly clear: () => void;
  readonly held: Choice | undefined;
  readonly takeBack: () => void;
}

/** Whose turn it is, what is asked for, and the button that plays what is chosen. */
function Bar(props: BarProps) {
  const { chosen, busy, held, prompt, refusal } = props;
  const waiting = held && t("play.takeBack", { move: inWords(props, held) });
  return (
    <div class="chooser-ready">
      <div class="chooser-asks">
        <p>
          <strong>{props.status}</strong> <span role="status">{waiting ?? (busy ? t("play.sending") : prompt)}</span>
        </p>
        {refusal !== "" && (
          <p class="play-refusal" role="alert">
            {refusal}
          </p>
        )}
      </div>
      <div class="chooser-buttons">
        {waiting === undefined ? (
          <Ready {...props} />
        ) : (
          <button
            type="button"
            class="main chooser-take-back"
            onClick={props.takeBack}
            onKeyDown={(event) => {
              if (event.repeat) event.preventDefault(); // the key that chose the move is still down
            }}
          >
            {waiting}
          </button>
        )}
        {chosen.size > 0 && (
          <button type="button" onClick={props.clear}>
            {t("play.clear")}
          </button>
        )}
      </div>
    </div>
  );
}

function askOf(board: GameBoard<GameKey> | undefined, view: View, moves: readonly Move[]): Ask | undefined {
  const made = moves.flatMap((move) => move.game.value ?? []);
  return view.game.value === undefined ? undefined : board?.ask(made, view.game.value);
}

/** A move in words, or its place where no board knows it. */
function inWords({ board, view, viewer }: ChooserProps, { move, index = 0 }: Choice): string {
  const [made, seen] = [move.game.value, view.game.value];
  return board === undefined || made === undefined || seen === undefined
    ? t("play.moveNumber", { number: index + 1 })
    : board.describe(made, seen, viewer);
}

interface Chosen {
  readonly chosen: ReadonlySet<PieceId>;
}

/** The moves that are chosen whole: a button each. Where there is none its place is kept. */
function Ready(props: BarProps) {
  const { chosen, busy, from } = props;
  if (busy || chosen.size === 0 || from.complete.length === 0) {
    return (
      <button type="button" class="chooser-waits" disabled>
        {t("play.confirm")}
      </button>
    );
  }
  return (
    <>
      {from.complete.slice(0, MAX_LISTED_MOVES).map((choice) => (
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
  const more = all - Math.min(MAX_LISTED_MOVES, left.length);
  return (
    <details open={moves.length <= 8}>
      <summary>{t("play.movesCount", { count: all })}</summary>
      <ul class="chooser-list">
        {left.slice(0, MAX_LISTED_MOVES).map((choice) => (
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
