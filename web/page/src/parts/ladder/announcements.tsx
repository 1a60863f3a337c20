/** What the organiser has announced about a ladder or the whole arena. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useCallback } from "preact/hooks";
import { arena } from "~/api/arena";
import { t, time } from "~/i18n";
import { Failed, useLoad } from "~/parts/load";
import "~/parts/ladder/heading.css";

/** The number that are shown. The feed has the others. */
const MAX_SHOWN = 5;

export function Announcements({ ladder }: { ladder: string }) {
  const read = useLoad(
    useCallback(
      (signal: AbortSignal) => arena.listAnnouncements({ ladder, pageSize: MAX_SHOWN }, { signal }),
      [ladder],
    ),
  );
  if (read.state === "loading") return null;
  if (read.state === "failed") return <Failed error={read.error} again={read.again} />;
  const { announcements } = read.value;
  if (announcements.length === 0) return null;
  return (
    <section aria-label={t("ladder.announcements")}>
      <h2>{t("ladder.announcements")}</h2>
      {announcements.map((made) => (
        <div key={made.announcementId} class="notice">
          <p class="quiet small">{made.time === undefined ? "" : time(timestampDate(made.time))}</p>
          <p class="ladder-description">{made.text}</p>
        </div>
      ))}
      <p class="small">
        <a href={`/ladders/${encodeURIComponent(ladder)}/news.atom`} target="_blank" rel="noopener">
          {t("ladder.announcementsFeed")}
        </a>
      </p>
    </section>
  );
}
