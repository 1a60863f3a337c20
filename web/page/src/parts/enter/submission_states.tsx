/** How far a submission is, in a word. */
import { SubmissionState } from "~/gen/fudaba/v1/submissions_pb";
import { type MessageKey, t } from "~/i18n";
import { Tag, type Tone } from "~/parts/tag";

const STATES: Partial<Record<SubmissionState, [MessageKey, Tone]>> = {
  [SubmissionState.UPLOADING]: ["enter.stateUploading", "live"],
  [SubmissionState.CHECKING]: ["enter.stateChecking", "live"],
  [SubmissionState.ACCEPTED]: ["enter.stateAccepted", "good"],
  [SubmissionState.REFUSED]: ["enter.stateRefused", "bad"],
  [SubmissionState.EXPIRED]: ["enter.stateExpired", "bad"],
};

/** A state that this page does not know is not the end. */
export function SubmissionTag({ state }: { state: SubmissionState }) {
  const [word, tone] = STATES[state] ?? ["enter.stateChecking", "live"];
  return <Tag tone={tone}>{t(word)}</Tag>;
}
