/** What a player's seat has been told, from one update to the next. */
import type { Event, View } from "~/gen/fudaba/v1/game_pb";
import type { Decision, SeatUpdate } from "~/gen/fudaba/v1/play_pb";
import type { MatchEnd, MatchHeader } from "~/gen/fudaba/v1/record_pb";

export interface SeatState {
  readonly header: MatchHeader | undefined;
  readonly seat: number | null;
  /** Where a stream that is opened again goes on. */
  readonly seen: number;
  readonly history: number;
  readonly view: View | undefined;
  readonly events: readonly Event[];
  /** How many of the events came with the last update. */
  readonly fresh: number;
  readonly decision: Decision | undefined;
  /** When the time of the decision is over, on the clock of `performance.now()`. */
  readonly deadline: number;
  /** The last decision that was closed because time had run out; empty if none was. */
  readonly timedOut: string;
  readonly rewound: boolean;
  readonly end: MatchEnd | undefined;
}

export const NOTHING_TOLD: SeatState = {
  header: undefined,
  seat: null,
  seen: 0,
  history: 0,
  view: undefined,
  events: [],
  fresh: 0,
  decision: undefined,
  deadline: 0,
  timedOut: "",
  rewound: false,
  end: undefined,
};

/** The state after one more update, which came at `now`. */
export function stateAfter(state: SeatState, update: SeatUpdate, now: number): SeatState {
  // `seen` counts the events of this update, too; after a rewind fewer of the earlier ones still hold.
  const earlier = state.events.slice(0, Math.max(0, update.seen - update.events.length));
  // A stream that begins anew tells of the decision that is open: what became of an earlier one it does not say.
  const isOver = update.started !== undefined || closed(state, update);
  const decision = update.decision ?? (isOver ? undefined : state.decision);
  return {
    header: update.started ?? state.header,
    seat: update.seat,
    seen: update.seen,
    history: update.history,
    view: update.decision?.view ?? update.view ?? state.view,
    events: [...earlier, ...update.events],
    fresh: update.events.length,
    decision,
    deadline: update.decision === undefined ? state.deadline : now + update.decision.timeMs,
    timedOut: update.timedOut.at(-1) ?? state.timedOut,
    rewound: update.rewound,
    end: update.over ?? state.end,
  };
}

/** Whether an update tells more than where the stream stands: else it is a heartbeat. */
export function hasNews(update: SeatUpdate): boolean {
  const { events, accepted, timedOut, started, decision, over, view } = update;
  if (events.length + accepted.length + timedOut.length > 0) return true;
  return [started, decision, over, view].some((part) => part !== undefined) || update.rewound;
}

/** Whether an update says that the decision which was open is not any more. */
function closed(state: SeatState, update: SeatUpdate): boolean {
  const id = state.decision?.decisionId ?? "";
  if (update.over !== undefined || update.rewound) return true;
  return update.accepted.includes(id) || update.timedOut.includes(id);
}
