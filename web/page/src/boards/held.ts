/** A move that is clear waits a moment before it is played, so that it can be taken back. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PieceId } from "~/boards";
import type { Choice } from "~/boards/choices";

/** How long a move can be taken back. */
const TAKE_BACK_MS = 1500;
/** With less time than this left a move is played without that wait. */
const MIN_LEFT_MS = 2 * TAKE_BACK_MS;

/** Whether there is time to wait until `deadline`, on the clock of `performance.now()`. */
export function hasTimeFor(deadline: number): boolean {
  return deadline - performance.now() >= MIN_LEFT_MS;
}

interface Held {
  readonly choice: Choice;
  /** The piece that was pointed at last. */
  readonly piece: PieceId;
  readonly decisionId: string | undefined;
}

interface Holding {
  /** The move that waits. */
  readonly held: Choice | undefined;
  readonly hold: (choice: Choice, piece: PieceId) => void;
  readonly takeBack: () => void;
}

/**
 * Holds a move until it is played or taken back. It is forgotten when its decision is closed, and played when the page is
 * left; that the same decision is told again changes nothing. Escape takes it back wherever the focus is.
 */
export function useHeld(
  decisionId: string | undefined,
  play: (choice: Choice) => void,
  wholeRef: RefObject<HTMLElement | null>,
): Holding {
  const [last, setLast] = useState<Held>();
  const held = last?.decisionId === decisionId ? last : undefined;
  const endRef = useRef<() => void>(undefined);
  const takeBack = () => {
    endRef.current = undefined; // also if its time is over before this is drawn
    setLast(undefined);
  };
  useLayoutEffect(() => {
    endRef.current =
      held &&
      (() => {
        endRef.current = undefined;
        setLast(undefined);
        play(held.choice);
      });
  });
  useEffect(() => {
    if (held === undefined) return undefined;
    const timer = setTimeout(() => endRef.current?.(), TAKE_BACK_MS);
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.stopPropagation(); // it closes nothing else
      endRef.current = undefined;
      setLast(undefined);
    };
    document.addEventListener("keydown", escape, { capture: true });
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", escape, { capture: true });
    };
  }, [held]);
  useEffect(() => {
    const leave = () => endRef.current?.();
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);
  useFocusOf(held, wholeRef);
  return {
    held: held?.choice,
    hold: (choice, piece) => {
      setLast({ choice, piece, decisionId });
    },
    takeBack,
  };
}

/** The focus waits on the button that takes back, and then goes back to the piece, if it can be pointed at again. */
function useFocusOf(held: Held | undefined, wholeRef: RefObject<HTMLElement | null>) {
  useEffect(() => {
    if (held === undefined) return undefined;
    const focus = (selector: string) => {
      wholeRef.current?.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
    };
    focus("button.chooser-take-back");
    return () => {
      if (document.activeElement === document.body) focus(`button[data-piece="${held.piece}"]`);
    };
  }, [held, wholeRef]);
}
