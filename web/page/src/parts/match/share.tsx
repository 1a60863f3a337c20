/** What can be taken along: a link to this position, a part for another page, the record. */
import { useState } from "preact/hooks";
import type { MatchRecord } from "~/gen/fudaba/v1/record_pb";
import { t } from "~/i18n";
import { Copy } from "~/parts/copy";
import { recordFile, recordJson, save } from "~/parts/match/record_file";

export function Share({ record, title }: { record: MatchRecord; title: string }) {
  const matchId = record.header?.matchId ?? "";
  return (
    <section class="match-share" aria-label={t("match.share")}>
      <Copy label={t("match.copyLink")} text={() => location.href} />
      <Picture matchId={matchId} title={title} />
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

/** Saves the board as it is on the page now. What draws it is loaded when it is wanted. */
function Picture({ matchId, title }: { matchId: string; title: string }) {
  const [failed, setFailed] = useState(false);
  const make = async () => {
    const board = document.querySelector(".match .board");
    if (board === null) return;
    setFailed(false);
    try {
      const { picture } = await import("~/parts/match/picture");
      save(await picture(board, title), `${matchId}.png`);
    } catch {
      setFailed(true); // a browser that draws no such pictures
    }
  };
  return (
    <>
      <button type="button" onClick={() => void make()}>
        {t("match.picture")}
      </button>
      {failed && <p role="alert">{t("match.pictureFailed")}</p>}
    </>
  );
}
