/** A private word, which says what it means where it stands: pointed at, touched or by keys. */
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { type MessageKey, t } from "~/i18n";
import "~/parts/term.css";

export interface TermProps {
  /** The word, as it stands in the text. */
  readonly word: string;
  /** The text that explains it. */
  readonly means: MessageKey;
  /** What is shown instead of the word, such as a tag; a small mark when nothing is. */
  readonly children?: ComponentChildren;
}

/** The word with its explanation. Escape, or a touch elsewhere, closes it. */
export function Term({ word, means, children }: TermProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <span class="term">
      <button
        type="button"
        class={children === undefined ? "bare" : "bare bold"}
        ref={button}
        popovertarget={id}
        aria-label={t("shell.whatIs", { word })}
      >
        {children ?? word}
      </button>
      <span
        id={id}
        popover="auto"
        class="meaning"
        role="note"
        onToggle={(event) => {
          if (button.current !== null) putBeside(event.currentTarget, button.current);
        }}
      >
        <strong>{word}</strong>
        <span>{t(means)}</span>
      </span>
    </span>
  );
}

function putBeside(note: HTMLElement, explained: HTMLElement): void {
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const at = placeNote(explained.getBoundingClientRect(), note.getBoundingClientRect(), { width, height });
  note.style.left = `${at.left}px`;
  note.style.top = `${at.top}px`;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where a note of this size stands beside what it explains: below, or above where there is no room, and in the window. */
export function placeNote(
  at: Box,
  note: { readonly width: number; readonly height: number },
  room: { readonly width: number; readonly height: number },
): { left: number; top: number } {
  const gap = 6;
  const left = Math.max(gap, Math.min(at.left, room.width - note.width - gap));
  const below = at.bottom + gap;
  const above = at.top - gap - note.height;
  return { left, top: below + note.height > room.height && above >= 0 ? above : below };
}
