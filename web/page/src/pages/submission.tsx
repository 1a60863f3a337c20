/** What becomes of a submission: each stage as it ends, with what the program said. */
import { useEffect, useState } from "preact/hooks";
import { durationMs, timestampDate } from "@bufbuild/protobuf/wkt";
import { arena } from "~/api/arena";
import { wasCancelled } from "~/api/errors";
import {
  type Submission,
  SubmissionFault,
  type SubmissionOutcome,
  SubmissionStage,
  SubmissionState,
} from "~/gen/fudaba/v1/submissions_pb";
import { type MessageKey, number, t, time } from "~/i18n";
import { Entries } from "~/parts/enter/entries";
import { SignedIn } from "~/parts/enter/sign_in";
import { SubmissionTag } from "~/parts/enter/submission_states";
import { gameName } from "~/parts/games";
import { Failed, Loading } from "~/parts/load";
import { Tag } from "~/parts/tag";
import { useTitle } from "~/parts/title";
import "~/parts/enter/enter.css";

/** Milliseconds between two looks at a submission that is checked. */
const LOOK_MS = 1000;
const STAGES: Partial<Record<SubmissionStage, MessageKey>> = {
  [SubmissionStage.UNPACK]: "enter.stageUnpack",
  [SubmissionStage.BUILD]: "enter.stageBuild",
  [SubmissionStage.START]: "enter.stageStart",
  [SubmissionStage.CONNECT]: "enter.stageConnect",
  [SubmissionStage.MATCH]: "enter.stageMatch",
  [SubmissionStage.RESOURCES]: "enter.stageResources",
};
/** What is wrong, in the reader's language; the arena's own words, which are English, say where and what to do. */
const FAULTS: Partial<Record<SubmissionFault, MessageKey>> = {
  [SubmissionFault.FORMAT]: "enter.faultFormat",
  [SubmissionFault.DAMAGED]: "enter.faultDamaged",
  [SubmissionFault.SIZE]: "enter.faultSize",
  [SubmissionFault.NAME]: "enter.faultName",
  [SubmissionFault.KIND]: "enter.faultKind",
  [SubmissionFault.MANIFEST]: "enter.faultManifest",
  [SubmissionFault.RUNTIME]: "enter.faultRuntime",
  [SubmissionFault.BUILD]: "enter.faultBuild",
  [SubmissionFault.START]: "enter.faultStart",
  [SubmissionFault.CONNECT]: "enter.faultConnect",
  [SubmissionFault.MATCH]: "enter.faultMatch",
  [SubmissionFault.LIMIT]: "enter.faultLimit",
  [SubmissionFault.HOST]: "enter.faultHost",
  [SubmissionFault.QUOTA]: "enter.faultQuota",
} satisfies Record<Exclude<SubmissionFault, SubmissionFault.UNSPECIFIED>, MessageKey>;

export default function SubmissionPage({ submission }: { submission: string }) {
  useTitle(t("enter.submission"));
  return (
    <>
      <p class="above">
        <a href="/enter">{t("shell.enter")}</a>
      </p>
      <h1>{t("enter.submission")}</h1>
      <SignedIn scopes={["author", "organiser"]} why={t("enter.why")}>
        {() => <Followed key={submission} id={submission} />}
      </SignedIn>
    </>
  );
}

function Followed({ id }: { id: string }) {
  const [found, setFound] = useState<Submission>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const ending = new AbortController();
    let timer = 0;
    const look = () => {
      arena.getSubmission({ submissionId: id }, { signal: ending.signal }).then(
        ({ submission }) => {
          setFound(submission);
          setError(undefined);
          if (submission === undefined || !isOver(submission)) timer = window.setTimeout(look, LOOK_MS);
        },
        (failed: unknown) => {
          if (wasCancelled(failed)) return;
          setError(failed);
          timer = window.setTimeout(look, 5 * LOOK_MS);
        },
      );
    };
    look();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [id]);
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      {found === undefined ? error === undefined && <Loading /> : <SubmissionDetails submission={found} />}
    </>
  );
}

/** Whether nothing more will become of it. A state that this page does not know is not the end. */
export function isOver(submission: Submission): boolean {
  return [SubmissionState.ACCEPTED, SubmissionState.REFUSED, SubmissionState.EXPIRED].includes(submission.state);
}

function SubmissionDetails({ submission }: { submission: Submission }) {
  return (
    <>
      <p class="row">
        <a href={`/bots/${encodeURIComponent(submission.bot)}`}>{submission.bot}</a>
        {submission.version !== "" && <span>@{submission.version}</span>}
        <code>{submission.file}</code>
        <span class="quiet">
          {number(Number(submission.size) / 1000, 1)} kB
          {submission.createTime !== undefined && `, ${time(timestampDate(submission.createTime))}`}
        </span>
      </p>
      {submission.message !== "" && <p>{submission.message}</p>}
      <p role="status" aria-live="polite">
        <SubmissionTag state={submission.state} />
      </p>
      <ol class="stages">
        {submission.stages.map((stage, at) => (
          <Stage key={at} outcome={stage} />
        ))}
        {!isOver(submission) && submission.currentStage !== SubmissionStage.UNSPECIFIED && (
          <li>
            <span class="row">
              <Tag tone="live">{t("enter.underWay")}</Tag>
              <strong>{titleOf(submission.currentStage, submission.currentGame)}</strong>
            </span>
          </li>
        )}
      </ol>
      {submission.state === SubmissionState.REFUSED && (
        <p>
          <a class="button main" href={`/enter?bot=${encodeURIComponent(submission.bot)}`}>
            {t("enter.anotherUpload")}
          </a>
        </p>
      )}
      {submission.state === SubmissionState.ACCEPTED && <Entries bot={submission.bot} version={submission.version} />}
    </>
  );
}

function titleOf(stage: SubmissionStage, game: string): string {
  const key = STAGES[stage];
  return key === undefined ? t("enter.stageOther") : t(key, { game: game === "" ? "" : gameName(game) });
}

function Stage({ outcome }: { outcome: SubmissionOutcome }) {
  const title = titleOf(outcome.stage, outcome.game);
  const fault = FAULTS[outcome.fault];
  return (
    <li>
      <span class="row">
        <Tag tone={outcome.passed ? "good" : "bad"}>{t(outcome.passed ? "enter.passed" : "enter.failed")}</Tag>
        <strong>{title}</strong>
        {outcome.duration !== undefined && (
          <span class="quiet">{t("enter.seconds", { seconds: number(durationMs(outcome.duration) / 1000, 1) })}</span>
        )}
      </span>
      {fault !== undefined && <p>{t(fault)}</p>}
      {outcome.output !== "" && (
        <pre tabIndex={0} aria-label={title}>
          {outcome.output}
        </pre>
      )}
    </li>
  );
}
