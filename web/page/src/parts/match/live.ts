/** What a spectator of a live match has been told. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import { type FollowState, follow } from "~/api/follow";
import type { Event, View } from "~/gen/fudaba/v1/game_pb";
import type { Match, WatchMatchResponse } from "~/gen/fudaba/v1/matches_pb";
import { Paced } from "~/parts/match/pace";

export interface LiveState {
  readonly match: Match | undefined;
  readonly view: View | undefined;
  readonly events: readonly Event[];
  /** Those that were shown last. */
  readonly fresh: readonly Event[];
  readonly following: FollowState;
  readonly error: unknown;
}

export const NOTHING_SEEN: LiveState = {
  match: undefined,
  view: undefined,
  events: [],
  fresh: [],
  following: "opening",
  error: undefined,
};

/** The state after one more message. After the match was put back, fewer of the earlier events hold. */
export function seenAfter(state: LiveState, message: WatchMatchResponse): LiveState {
  const earlier = state.events.slice(0, Math.max(0, message.seen - message.events.length));
  return {
    ...state,
    match: message.match ?? state.match,
    view: message.view ?? state.view,
    events: [...earlier, ...message.events],
    // Whoever comes to a match that goes on is not shown all of it as new.
    fresh: state.match === undefined ? [] : message.events,
    error: undefined,
  };
}

/** Whether a message tells only where the stream stands. */
function isHeartbeat({ match, view, events }: WatchMatchResponse): boolean {
  return match === undefined && view === undefined && events.length === 0;
}

/**
 * Follows a match as long as the page shows it; events that come fast are shown one after another. `again` opens a stream
 * anew that ended with an error.
 */
export function useLive(matchId: string): LiveState & { again: () => void } {
  const [live, setLive] = useState(NOTHING_SEEN);
  const [attempt, setAttempt] = useState(0);
  const shownRef = useRef(0); // how many events are shown, after which another attempt goes on
  const again = useCallback(() => {
    setLive((state) => ({ ...state, error: undefined }));
    setAttempt((before) => before + 1);
  }, []);
  useEffect(() => {
    const ending = new AbortController();
    const paced = new Paced<WatchMatchResponse>((message) => {
      setLive((state) => {
        const next = seenAfter(state, message);
        shownRef.current = next.events.length;
        return next;
      });
    });
    let seen = shownRef.current;
    void follow<WatchMatchResponse>({
      open: (signal) => matches.watchMatch({ matchId, seen }, { signal }),
      take: (message) => {
        seen = message.seen;
        if (isHeartbeat(message)) return;
        paced.push(message);
      },
      state: (following) => {
        setLive((state) => ({ ...state, following }));
      },
      signal: ending.signal,
    }).catch((error: unknown) => {
      setLive((state) => ({ ...state, error }));
    });
    return () => {
      ending.abort();
      paced.close();
    };
  }, [matchId, attempt]);
  return { ...live, again };
}
