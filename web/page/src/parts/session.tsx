/** Who is signed in, for what depends on it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Session, loadSession, session } from "~/api/session";
import { Shown, useLoad } from "~/parts/load";

/**
 * Draws its content for who is signed in, or for null; asked for anew by each page. Another content is read from its
 * beginning, where the focus goes when somebody signs in or out.
 */
export function WithSession({ children }: { children: (session: Session | null) => ComponentChildren }) {
  const asked = useLoad(loadSession);
  const current = session.value;
  const token = current === undefined ? undefined : (current?.tokenId ?? "");
  const beforeRef = useRef(token);
  useEffect(() => {
    if (beforeRef.current !== undefined && beforeRef.current !== token)
      document.getElementById("main")?.focus({ preventScroll: true });
    beforeRef.current = token;
  }, [token]);
  return current === undefined ? <Shown loaded={asked}>{children}</Shown> : <>{children(current)}</>;
}
