/** On which blocks of a season whose final is played its bots are rated. */
import { RatedBlocks, type Standings } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, t } from "~/i18n";

const WORDS: Partial<Record<RatedBlocks, MessageKey>> = {
  [RatedBlocks.SEASON]: "ladder.ratedOnSeason",
  [RatedBlocks.FINAL]: "ladder.ratedOnFinal",
  [RatedBlocks.MIXED]: "ladder.ratedOnMixed",
};

export function RatedOn({ standings }: { standings: Standings | undefined }) {
  const word = standings && WORDS[standings.ratedOn];
  return word === undefined ? null : <p class="quiet">{t(word)}</p>;
}
