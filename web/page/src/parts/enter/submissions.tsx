/** What was uploaded for a bot: each leads to its check and, once it is accepted, to where its version is entered. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Submission } from "~/gen/fudaba/v1/submissions_pb";
import { t, time } from "~/i18n";
import { SubmissionTag } from "~/parts/enter/submission_states";

export function Submissions({ of }: { of: readonly Submission[] }) {
  if (of.length === 0) return null;
  return (
    <section>
      <h2>{t("enter.uploads")}</h2>
      <p class="quiet">{t("enter.uploadsHow")}</p>
      <ul class="entries">
        {of.map((one) => (
          <li class="row" key={one.submissionId}>
            <a href={`/submissions/${encodeURIComponent(one.submissionId)}`}>
              {one.version === "" ? one.file : t("enter.versionOf", { version: one.version })}
            </a>
            <SubmissionTag state={one.state} />
            {one.message !== "" && <span>{one.message}</span>}
            {one.createTime !== undefined && <span class="quiet">{time(timestampDate(one.createTime))}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
