/** Where the focus is, for whoever plays by keys. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * A place to which the focus comes back that was in it, or elsewhere in its article: with a move its piece or button goes,
 * and whoever plays by keys would have to begin at the top of the page again.
 */
export function useFocusKept(): RefObject<HTMLDivElement | null> {
  const placeRef = useRef<HTMLDivElement>(null);
  const withinRef = useRef(false);
  useEffect(() => {
    const note = ({ target }: Event) => {
      withinRef.current = target instanceof Node && placeRef.current?.closest("article")?.contains(target) === true;
    };
    document.addEventListener("focusin", note);
    document.addEventListener("pointerdown", note);
    return () => {
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", note);
    };
  }, []);
  useEffect(() => {
    const isLost = document.activeElement?.matches("body, :disabled") === true; // a browser drops a disabled one later
    if (withinRef.current && isLost) placeRef.current?.focus({ preventScroll: true });
  });
  return placeRef;
}
