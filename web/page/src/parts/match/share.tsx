/** What can be taken along: a link to this position, a part for another page, the record. */
import { useState } from "preact/hooks";
import type { MatchRecord } from "~/gen/fudaba/v1/record_pb";
import { t } from "~/i18n";
import { recordFile, recordJson, save } from "~/parts/match/record_file";

export function Share({ record }: { record: MatchRecord }) {
  const matchId = record.header?.matchId ?? "";
  return (
    <section class="match-share" aria-label={t("match.share")}>
      <Copy label={t("match.copyLink")} text={() => location.href} />
      <Copy label={t("match.copyEmbed")} text={() => embedding(matchId, location.origin, location.search)} />
      <button
        type="button"
        onClick={() => {
          save(recordFile(record), `${matchId}.fudaba`);
        }}
      >
        {t("match.download")}
      </button>
      <button
        type="button"
        onClick={() => {
          save(recordJson(record), `${matchId}.json`);
        }}
      >
        {t("match.downloadJson")}
      </button>
    </section>
  );
}

/** The markup with which another page shows a match. Ids of matches need no escaping. */
export function embedding(matchId: string, origin: string, search: string): string {
  const query = search.replaceAll("&", "&amp;");
  return `<iframe src="${origin}/embed/${matchId}${query}" width="800" height="600" title="Fudaba"></iframe>`;
}

/** A button that copies a text, and says so. Where nothing may be copied it shows the text. */
export function Copy({ label, text }: { label: string; text: () => string }) {
  const [said, setSaid] = useState<{ copied: boolean; text: string }>();
  const copy = async () => {
    const wanted = text();
    try {
      await navigator.clipboard.writeText(wanted);
      setSaid({ copied: true, text: wanted });
    } catch {
      setSaid({ copied: false, text: wanted }); // without https there is no clipboard
    }
  };
  return (
    <span class="match-copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">
        {said?.copied === true && t("match.copied")}
        {said?.copied === false && <input readOnly value={said.text} aria-label={label} />}
      </span>
    </span>
  );
}
