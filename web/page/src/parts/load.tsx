/** What is asked of the service: while it is under way, when it failed, when it is there. */
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { inWords, isMissing, wasCancelled } from "~/api/errors";
import { type MessageKey, t } from "~/i18n";
import { titleOf } from "~/parts/title";
import "~/parts/load.css";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: unknown; readonly again: () => void }
  | { readonly state: "there"; readonly value: T; readonly again: () => void };

type Load<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Loads something, and loads it anew whenever `load` is another function, so memoize it:
 * `useLoad(useCallback((signal) => bots.getBot({ bot }, { signal }), [bot]))`. What nobody waits for any more is ended.
 * It waits until it is `ready`. `again` asks once more, and shows what was there until the answer has come; what failed is
 * asked for once more when the machine is back on its network, too.
 */
export function useLoad<T>(load: Load<T>, ready = true): Loaded<T> {
  const [attempt, setAttempt] = useState(0);
  const [held, setHeld] = useState<{ load: Load<T>; loaded: Loaded<T> }>();
  useEffect(() => {
    if (!ready) return undefined;
    const ending = new AbortController();
    const again = () => {
      setAttempt((before) => before + 1);
    };
    load(ending.signal).then(
      (value) => {
        if (!ending.signal.aborted) setHeld({ load, loaded: { state: "there", value, again } });
      },
      (error: unknown) => {
        if (ending.signal.aborted || wasCancelled(error)) return;
        setHeld({ load, loaded: { state: "failed", error, again } });
        window.addEventListener("online", again, { signal: ending.signal });
      },
    );
    return () => {
      ending.abort();
    };
  }, [load, ready, attempt]);
  return held?.load === load ? held.loaded : { state: "loading" };
}

/** Draws what was loaded by `children`, or how that stands. */
export function Shown<T>(
  props: LateProps & { loaded: Loaded<T>; children: (value: T, again: () => void) => ComponentChildren },
) {
  const { loaded, why, isPart } = props;
  if (loaded.state === "loading") return <Loading why={why} isPart={isPart} />;
  if (loaded.state === "failed") return <Failed error={loaded.error} again={loaded.again} />;
  return <>{props.children(loaded.value, loaded.again)}</>;
}

/** Milliseconds after which it is said what is waited for. */
const EXPLAINED_MS = 4_000;

/** `why` something may take long, where it is not for the service; `isPart` where it is a part of the page itself. */
export interface LateProps {
  readonly why?: MessageKey | undefined;
  readonly isPart?: boolean | undefined;
}

/**
 * Something is under way. It shows after a moment only, so that what is quick does not flicker; what takes long says what
 * it waits for, in words that are loaded then.
 */
export function Loading(props: LateProps) {
  const [late, setLate] = useState<{ Late: ComponentType<LateProps> }>();
  const [offline, setOffline] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (!navigator.onLine) setOffline(true);
      import("~/parts/late")
        .then(({ load }) => load())
        .then(setLate, () => {
          setOffline(true);
        });
    }, EXPLAINED_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="loading" role="status">
      {t("shell.loading")} {late ? <late.Late {...props} /> : offline && t("shell.offline")}
    </div>
  );
}

/** What was refused or could not be reached, in words that say what to do; and a button, where to ask again may help. */
export function Failed(props: { error: unknown; again?: (() => void) | undefined }) {
  const missing = isMissing(props.error);
  useEffect(() => {
    const before = document.title;
    if (missing) document.title = titleOf([t("shell.notThere")]);
    return () => {
      document.title = before;
    };
  }, [missing]);
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{t(missing ? "shell.notThere" : "shell.failed")}</strong>
        <br />
        {inWords(props.error)}
      </p>
      {props.again !== undefined &&
        (missing ? (
          <a class="button small" href="/">
            {t("shell.toStart")}
          </a>
        ) : (
          <button type="button" class="small" onClick={props.again}>
            {t("shell.again")}
          </button>
        ))}
    </div>
  );
}

/** Nothing is there, and what to do about it. */
export function Nothing(props: { children?: ComponentChildren }) {
  return <p class="nothing">{props.children ?? t("shell.nothing")}</p>;
}
