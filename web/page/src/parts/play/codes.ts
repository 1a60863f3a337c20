/** The invitations of matches that were made in this window; the service tells them only once. */
import { keep, kept } from "~/kept";
import type { InvitationCode } from "~/gen/fudaba/v1/matches_pb";

export interface Invitation {
  readonly seat: number;
  readonly code: string;
}

const key = (matchId: string) => `codes ${matchId}`;

export function keepCodes(matchId: string, codes: readonly InvitationCode[]): void {
  if (codes.length === 0) return;
  const plain = codes.map(({ seat, code }): Invitation => ({ seat, code }));
  keep("window", key(matchId), JSON.stringify(plain));
}

/** Those that were kept; none of a match that was made elsewhere. */
export function keptCodes(matchId: string): readonly Invitation[] {
  try {
    const codes: unknown = JSON.parse(kept("window", key(matchId)) ?? "[]");
    return Array.isArray(codes) ? (codes as Invitation[]) : [];
  } catch {
    return []; // somebody else has written there
  }
}
