/** A button that asks the service for something, and says what became of it. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { inWords } from "~/api/errors";
import { t } from "~/i18n";

export interface ActProps {
  readonly children: ComponentChildren;
  readonly act: () => Promise<unknown>;
  /** What is asked before, where it cannot be undone. */
  readonly confirm?: string;
  readonly class?: string;
  readonly label?: string;
  /** Called once it is done. */
  readonly done?: () => void;
}

/** Pressed twice, it asks once. What cannot be undone is asked about where the button stands. */
export function Act(props: ActProps) {
  const [state, setState] = useState<"idle" | "asking" | "busy">("idle");
  const [refused, setRefused] = useState("");
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
  if (state === "asking") {
    return (
      <span class="row" role="group" aria-label={props.confirm ?? ""}>
        <span>{props.confirm}</span>
        <button type="button" class="small main" onClick={begin}>
          {t("account.yes")}
        </button>
        <button
          type="button"
          class="small"
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
        type="button"
        class={props.class ?? "small"}
        aria-label={props.label}
        disabled={state === "busy"}
        onClick={() => {
          if (props.confirm === undefined) begin();
          else setState("asking");
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
