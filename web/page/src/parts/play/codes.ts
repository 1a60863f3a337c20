/** The invitations of matches that were made in this window; the service tells them only once. */
import type { InvitationCode } from "~/gen/fudaba/v1/matches_pb";

export interface Invitation {
  readonly seat: number;
  readonly code: string;
}

const key = (matchId: string) => `codes ${matchId}`;

export function keepCodes(matchId: string, codes: readonly InvitationCode[]): void {
  if (codes.length === 0) return;
  const plain = codes.map(({ seat, code }): Invitation => ({ seat, code }));
  sessionStorage.setItem(key(matchId), JSON.stringify(plain));
}

/** Those that were kept; none of a match that was made elsewhere. */
export function keptCodes(matchId: string): readonly Invitation[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key(matchId)) ?? "[]");
    return Array.isArray(kept) ? (kept as Invitation[]) : [];
  } catch {
    return []; // somebody else has written there
  }
}
