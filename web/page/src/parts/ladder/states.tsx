/** How a ladder or a tournament stands, in a word that explains itself. */
import type { LadderState as AnyLadderState, TournamentState as AnyTournamentState } from "~/gen/fudaba/v1/arena_pb";
import { LadderState, TournamentState } from "~/gen/start/fudaba/v1/arena_pb";
import { type MessageKey, t } from "~/i18n";
import { Tag, type Tone } from "~/parts/tag";
import { Term } from "~/parts/term";

interface Said {
  word: MessageKey;
  means: MessageKey;
  tone: Tone;
}

const LADDER_STATES: Partial<Record<LadderState, Said>> = {
  [LadderState.WAITING]: { word: "ladder.stateWaiting", means: "ladder.stateWaitingMeans", tone: "plain" },
  [LadderState.PLAYING]: { word: "ladder.statePlaying", means: "ladder.statePlayingMeans", tone: "live" },
  [LadderState.FINAL]: { word: "ladder.stateFinal", means: "ladder.stateFinalMeans", tone: "live" },
  [LadderState.PAUSED]: { word: "ladder.statePaused", means: "ladder.statePausedMeans", tone: "warn" },
  [LadderState.STALLED]: { word: "ladder.stateStalled", means: "ladder.stateStalledMeans", tone: "bad" },
  [LadderState.CLOSED]: { word: "ladder.stateClosed", means: "ladder.stateClosedMeans", tone: "plain" },
};
const TOURNAMENT_STATES: Partial<Record<TournamentState, Said>> = {
  [TournamentState.PLAYING]: { word: "ladder.statePlaying", means: "ladder.statePlayingMeans", tone: "live" },
  [TournamentState.PAUSED]: { word: "ladder.statePaused", means: "ladder.statePausedMeans", tone: "warn" },
  [TournamentState.STALLED]: { word: "ladder.stateStalled", means: "ladder.stateStalledMeans", tone: "bad" },
  [TournamentState.CLOSED]: { word: "ladder.stateClosed", means: "ladder.stateClosedMeans", tone: "plain" },
};

export function LadderStateTag({ state }: { state: AnyLadderState }) {
  return <StateTag said={LADDER_STATES[state]} />;
}

export function TournamentStateTag({ state }: { state: AnyTournamentState }) {
  return <StateTag said={TOURNAMENT_STATES[state]} />;
}

function StateTag({ said }: { said: Said | undefined }) {
  if (said === undefined) return null;
  return (
    <Term word={t(said.word)} means={said.means}>
      <Tag tone={said.tone}>{t(said.word)}</Tag>
    </Term>
  );
}
