/** The service's messages, filled in where a test does not care; fields that a later release adds are left out. */
import type { Decision, PlayResponse, SeatUpdate } from '../src/contract.js';

export function decision(decision_id: string, more: Partial<Decision> = {}): Decision {
  const empty = { required: true, view: null, legal_count: 3, legal_moves: [], legal_texts: [] };
  return { decision_id, ...empty, time_ms: 10_000, bank_ms: 0, ...more } as Decision;
}

export function update(more: Partial<SeatUpdate>): PlayResponse {
  const empty = { match_id: 'm', seat: 1, seen: 0, history: 0, events: [], started: null, decision: null, over: null };
  return { update: { ...empty, accepted: [], timed_out: [], rewound: false, ...more } as unknown as SeatUpdate };
}

export function started(game: string, more: Partial<SeatUpdate> = {}): PlayResponse {
  return update({ started: { match_id: 'm', game, options: {} } as SeatUpdate['started'], ...more });
}

export function over(scores: number[]): PlayResponse {
  return update({ over: { outcome: { scores, placements: [] } } as unknown as SeatUpdate['over'] });
}

export function refusal(decision_id: string, reason: string, still_open: boolean): PlayResponse {
  return { refusal: { match_id: 'm', decision_id, reason, code: 9, message: 'no', rule: '', still_open } };
}
