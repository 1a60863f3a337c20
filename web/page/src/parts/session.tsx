/** Who is signed in, for what depends on it. */
import type { ComponentChildren } from "preact";
import { type Session, loadSession, session } from "~/api/session";
import { Shown, useLoad } from "~/parts/load";

/** Draws its content for who is signed in, or for null; asked for anew by each page. */
export function WithSession({ children }: { children: (who: Session | null) => ComponentChildren }) {
  const asked = useLoad(loadSession);
  const who = session.value;
  return who === undefined ? <Shown of={asked}>{children}</Shown> : <>{children(who)}</>;
}
