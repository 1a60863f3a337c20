/** What is unusual about a row, each mark with its meaning. */
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

import { type MessageKey, t, time } from "~/i18n";
import type { Mark } from "~/parts/ladder/rows";
import { Tag, type Tone } from "~/parts/tag";
import { Term } from "~/parts/term";

const MARKS: Record<Mark, { word: MessageKey; means: MessageKey; tone: Tone }> = {
  panel: { word: "ladder.panel", means: "ladder.panelMeans", tone: "plain" },
  provisional: { word: "ladder.provisional", means: "ladder.provisionalMeans", tone: "plain" },
  idle: { word: "ladder.idleBot", means: "ladder.idleMeans", tone: "plain" },
  paused: { word: "ladder.paused", means: "ladder.pausedMeans", tone: "warn" },
  absent: { word: "ladder.absent", means: "ladder.absentMeans", tone: "warn" },
  suspended: { word: "ladder.suspended", means: "ladder.suspendedMeans", tone: "warn" },
  withdrawn: { word: "ladder.withdrawn", means: "ladder.withdrawnMeans", tone: "bad" },
  disqualified: { word: "ladder.disqualified", means: "ladder.disqualifiedMeans", tone: "bad" },
  left: { word: "ladder.left", means: "ladder.leftMeans", tone: "plain" },
  replaced: { word: "ladder.replaced", means: "ladder.replacedMeans", tone: "plain" },
  apart: { word: "ladder.apart", means: "ladder.apartMeans", tone: "warn" },
  changes: { word: "ladder.changes", means: "ladder.changesMeans", tone: "warn" },
  partial: { word: "ladder.partial", means: "ladder.partialMeans", tone: "plain" },
};

export interface MarksProps {
  readonly marks: readonly Mark[];
  /** When it has played last, which is said of a bot that plays no more. */
  readonly lastPlayed?: Timestamp | undefined;
}

export function Marks({ marks, lastPlayed }: MarksProps) {
  return (
    <>
      {marks.map((mark) => (
        <Term key={mark} word={t(MARKS[mark].word)} means={MARKS[mark].means}>
          <Tag tone={MARKS[mark].tone}>
            {mark === "idle" && lastPlayed !== undefined
              ? t("ladder.idleSince", { time: time(timestampDate(lastPlayed)) })
              : t(MARKS[mark].word)}
          </Tag>
        </Term>
      ))}
    </>
  );
}
