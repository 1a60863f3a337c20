/** A button that asks the service for something, and says what became of it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { inWords } from "~/api/errors";
import { t } from "~/i18n";

export interface ActProps {
  readonly children: ComponentChildren;
  readonly act: () => Promise<unknown>;
  /** What is asked before, where it cannot be undone; or what finds that out, with the numbers of this moment. */
  readonly confirm?: string | (() => Promise<string>);
  readonly class?: string;
  readonly label?: string;
  /** Whether the Enter key in a field of its form presses it. */
  readonly submits?: boolean;
  /** Called once it is done. */
  readonly done?: () => void;
}

/** Pressed twice, it asks once. What cannot be undone is asked about where the button stands. */
export function Act(props: ActProps) {
  const [state, setState] = useState<"idle" | "asking" | "busy">("idle");
  const [refused, setRefused] = useState("");
  const [question, setQuestion] = useState("");
  const buttonRef = useRef<HTMLButtonElement>(null);
  const noRef = useRef<HTMLButtonElement>(null);
  const askedRef = useRef(false);
  // The focus goes with what replaces the button, and comes back.
  useEffect(() => {
    if (state === "asking") noRef.current?.focus();
    else if (askedRef.current) buttonRef.current?.focus();
    askedRef.current = state === "asking";
  }, [state]);
  // What was refused may be mended in the fields around it.
  useEffect(() => {
    if (refused === "") return undefined;
    const ending = new AbortController();
    const form = buttonRef.current?.closest("form, fieldset, section, dialog");
    form?.addEventListener(
      "input",
      () => {
        setRefused("");
      },
      { signal: ending.signal },
    );
    return () => {
      ending.abort();
    };
  }, [refused]);
  const begin = () => {
    setState("busy");
    setRefused("");
    props
      .act()
      .then(() => props.done?.())
      .catch((error: unknown) => {
        setRefused(inWords(error));
      })
      .finally(() => {
        setState("idle");
      });
  };
  const { confirm } = props;
  const ask = () => {
    if (confirm === undefined) {
      begin();
      return;
    }
    if (typeof confirm === "string") {
      setState("asking");
      return;
    }
    setState("busy");
    setRefused("");
    confirm().then(
      (found) => {
        setQuestion(found);
        setState("asking");
      },
      (error: unknown) => {
        setRefused(inWords(error));
        setState("idle");
      },
    );
  };
  if (state === "asking") {
    const asked = typeof confirm === "string" ? confirm : question;
    return (
      <span class="row" role="group" aria-label={asked}>
        <span>{asked}</span>
        <button type="button" class="small main" onClick={begin}>
          {t("account.yes")}
        </button>
        <button
          type="button"
          class="small"
          ref={noRef}
          onClick={() => {
            setState("idle");
          }}
        >
          {t("account.no")}
        </button>
      </span>
    );
  }
  return (
    <>
      <button
        type={props.submits === true ? "submit" : "button"}
        class={props.class ?? "small"}
        aria-label={props.label}
        aria-disabled={state === "busy"} // disabled it would lose the focus
        ref={buttonRef}
        onClick={() => {
          if (state !== "busy") ask();
        }}
      >
        {props.children}
      </button>
      {refused !== "" && (
        <span class="bad" role="alert">
          {refused}
        </span>
      )}
    </>
  );
}
