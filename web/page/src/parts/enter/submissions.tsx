/** What was uploaded for a bot: each leads to its check and, once it is accepted, to where its version is entered. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Submission } from "~/gen/fudaba/v1/submissions_pb";
import { t, time } from "~/i18n";
import { SubmissionTag } from "~/parts/enter/submission_states";

export function Submissions({ submissions }: { submissions: readonly Submission[] }) {
  if (submissions.length === 0) return null;
  return (
    <section>
      <h2>{t("enter.uploads")}</h2>
      <p class="quiet">{t("enter.uploadsHow")}</p>
      <ul class="entries">
        {submissions.map((submission) => (
          <li class="row" key={submission.submissionId}>
            <a href={`/submissions/${encodeURIComponent(submission.submissionId)}`}>
              {submission.version === "" ? submission.file : t("enter.versionOf", { version: submission.version })}
            </a>
            <SubmissionTag state={submission.state} />
            {submission.message !== "" && <span>{submission.message}</span>}
            {submission.createTime !== undefined && (
              <span class="quiet">{time(timestampDate(submission.createTime))}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
