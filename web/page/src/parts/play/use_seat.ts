/** A seat that this browser plays: what it is told, and what it answers. */
import { Code, ConnectError } from "@connectrpc/connect";
import { useCallback, useEffect, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import { play } from "~/api/play";
import { AWAIT_MS } from "~/api/deadlines";
import { inWords } from "~/api/errors";
import { type FollowState, follow, waitMs } from "~/api/follow";
import { reasonOf } from "~/api/reasons";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { type Answer, EventDelivery, LegalMoveFormat, type SeatUpdate } from "~/gen/fudaba/v1/play_pb";
import { Paced } from "~/parts/match/pace";
import { NOTHING_TOLD, type SeatState, hasNews, stateAfter } from "~/parts/match/seat";

const DELIVERY = {
  legalMoves: LegalMoveFormat.TYPED,
  events: EventDelivery.AT_ONCE,
  acknowledge: true,
  views: true,
};
const STEP_MS = 450;
/** For how long a trick that was taken, or a battle, stands before something else is shown. */
const STANDS_MS = 1_500;
const MAX_TRIES = 6;
/** How often a hidden tab asks whether its seats are taken. */
const HIDDEN_AWAIT_MS = 3_000;

export interface PlayedSeat {
  readonly state: SeatState;
  readonly following: FollowState;
  /** What ended the stream for good. */
  readonly error: unknown;
  /** Follows the seat anew. */
  readonly again: () => void;
  /** The last refusal in words; empty if there is none to show. */
  readonly refusal: string;
  /** The decision whose answer is on its way; empty if there is none. */
  readonly sending: string;
  /** Sends an answer to the open decision; tells whether it was accepted. */
  readonly answer: (choice: Answer["choice"]) => Promise<boolean>;
}

/** What ends something that everybody has looked at: it is gone with whatever comes next. */
const STANDING: ReadonlySet<string | undefined> = new Set(["trickTaken", "battled", "roundWon"]);

function stands(update: SeatUpdate | undefined): boolean {
  return update?.events.some(({ game }) => STANDING.has(game.value?.kind.case)) ?? false;
}

/** Follows a seat as soon as the match has all its seats taken. */
export function useSeat(matchId: string, seated: boolean): PlayedSeat {
  const [state, setState] = useState(NOTHING_TOLD);
  const [following, setFollowing] = useState<FollowState>("opening");
  const [error, setError] = useState<unknown>();
  const [refusal, setRefusal] = useState("");
  const [sending, setSending] = useState("");
  const [attempt, setAttempt] = useState(0);
  const again = useCallback(() => {
    setAttempt((before) => before + 1);
  }, []);
  useEffect(() => {
    if (!seated) return undefined;
    setError(undefined);
    const ending = new AbortController();
    // What opponents do at once is shown one after the other, but for games that are played at once.
    const paced = new Paced<{ update: SeatUpdate; at: number }>(
      ({ update, at }) => {
        setState((last) => stateAfter(last, update, at));
        if (update.decision !== undefined) setRefusal("");
      },
      (waiting, shown) => (stands(shown?.update) ? STANDS_MS : STEP_MS / Math.max(1, waiting / 2)),
    );
    let place = { seen: 0, history: 0 };
    void follow({
      open: (signal) => play.watchSeat({ matchId, ...place, delivery: DELIVERY }, { signal }),
      take: ({ update }) => {
        if (update === undefined) return;
        place = { seen: update.seen, history: update.history };
        if (!hasNews(update)) return;
        paced.push({ update, at: performance.now() });
        if (update.decision?.required === false) paced.flush();
      },
      state: setFollowing,
      signal: ending.signal,
      alsoHidden: true,
    }).catch((failure: unknown) => {
      setError(failure);
    });
    return () => {
      ending.abort();
      paced.close();
    };
  }, [matchId, seated, attempt]);
  const decisionId = state.decision?.decisionId ?? "";
  const answer = useCallback(
    async (choice: Answer["choice"]) => {
      setSending(decisionId);
      setRefusal("");
      const refused = await submitted(matchId, decisionId, choice);
      setRefusal(refused);
      setSending((last) => (last === decisionId ? "" : last));
      return refused === "";
    },
    [matchId, decisionId],
  );
  return { state, following, error, again, refusal, sending, answer };
}

/** Sends an answer until it is stored or refused; what refused it, in words. The id keeps it from counting twice. */
export async function submitted(matchId: string, decisionId: string, choice: Answer["choice"]): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await play.submitMove({ answer: { matchId, decisionId, choice } });
      return "";
    } catch (error) {
      const lost = [Code.Unavailable, Code.Unknown, Code.DeadlineExceeded].includes(ConnectError.from(error).code);
      if (!lost || attempt === MAX_TRIES) return reasonOf(error) === "DECISION_CLOSED" ? "" : inWords(error);
      await new Promise((resolve) => setTimeout(resolve, waitMs(attempt, Math.random())));
    }
  }
}

/** A match that waits for its seats to be taken, until they are. */
export function useOpenMatch(matchId: string): { match: Match | undefined; error: unknown; again: () => void } {
  const [attempt, setAttempt] = useState(0);
  const [match, setMatch] = useState<Match>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    setError(undefined);
    const ending = new AbortController();
    const { signal } = ending;
    void follow<Match>({
      open: (ends) => untilSeated(matchId, ends),
      take: setMatch,
      signal,
      alsoHidden: true,
    }).catch((failure: unknown) => {
      setError(failure);
    });
    return () => {
      ending.abort();
    };
  }, [matchId, attempt]);
  const again = useCallback(() => {
    setAttempt((before) => before + 1);
  }, []);
  return { match, error, again };
}

/**
 * The match as it is, and as it becomes, until its seats are taken. A call that waits keeps one of the few connections of
 * a browser: a hidden tab asks now and then.
 */
async function* untilSeated(matchId: string, signal: AbortSignal): AsyncGenerator<Match> {
  for (let waitMs = 0; !signal.aborted; waitMs = document.hidden ? 0 : AWAIT_MS) {
    const { match } = await matches.awaitMatch({ matchId, waitMs }, { signal });
    if (match === undefined) return;
    yield match;
    if (match.state !== MatchState.OPEN) return;
    if (document.hidden) await new Promise((resolve) => setTimeout(resolve, HIDDEN_AWAIT_MS));
  }
}
