/** One call of the contract for a part of a page. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { wasCancelled } from "~/api/errors";

export type Called<T> =
  | { readonly state: "waiting" }
  | { readonly state: "done"; readonly value: T }
  | { readonly state: "failed"; readonly error: unknown };

/**
 * Makes a call when the part is shown, and again whenever `call` is another one (see `useCallback`), or on request. What an
 * earlier call answers late is not shown any more.
 */
export function useCall<T>(call: (signal: AbortSignal) => Promise<T>): [Called<T>, () => void] {
  const [answer, setAnswer] = useState<{ of: unknown; called: Called<T> }>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    call(ending.signal).then(
      (value) => {
        if (!ending.signal.aborted) setAnswer({ of: call, called: { state: "done", value } });
      },
      (error: unknown) => {
        if (ending.signal.aborted || wasCancelled(error)) return;
        setAnswer({ of: call, called: { state: "failed", error } });
      },
    );
    return () => {
      ending.abort();
    };
  }, [call, round]);
  const again = useCallback(() => {
    setAnswer(undefined);
    setRound((last) => last + 1);
  }, []);
  return [answer?.of === call ? answer.called : { state: "waiting" }, again];
}
