/** Who has what of what can be played at once, and what each used of late. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { EntryShare } from "~/gen/fudaba/v1/arena_pb";
import { number, t, time } from "~/i18n";
import { percent } from "~/parts/ladder/standings";
import { LooksLike, type Lookalikes } from "~/parts/looks_like";

export function Shares({ shares, looksLike }: { shares: readonly EntryShare[]; looksLike: Lookalikes }) {
  if (shares.length === 0) return null;
  return (
    <>
      <h2>{t("ladder.shares")}</h2>
      <p class="quiet">{t("ladder.sharesHow")}</p>
      <div class="scroll" role="region" aria-label={t("ladder.shares")} tabIndex={0}>
        <table class="shares">
          <caption class="unseen">{t("ladder.shares")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("ladder.bot")}</th>
              <th scope="col" class="number">
                {t("ladder.sharesMatches")}
              </th>
              <th scope="col">{t("ladder.sharesSince")}</th>
              <th scope="col" class="number">
                {t("ladder.sharesUsed")}
              </th>
              <th scope="col" class="number">
                {t("ladder.sharesPart")}
              </th>
              <th scope="col" class="number">
                {t("ladder.sharesDue")}
              </th>
            </tr>
          </thead>
          <tbody>
            {shares.map((share) => (
              <Row key={share.entry} share={share} other={looksLike[share.entry] ?? ""} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Row({ share, other }: { share: EntryShare; other: string }) {
  return (
    <tr>
      <th scope="row">
        {share.entry}
        <LooksLike other={other} />{" "}
        {share.waits && (
          <span class="quiet small">{t("ladder.sharesWaits", { seconds: number(share.owedSeconds) })}</span>
        )}
      </th>
      <td class="number">{number(share.matches)}</td>
      <td>{share.since === undefined ? "–" : time(timestampDate(share.since))}</td>
      <td class="number">{number(share.usedSeconds)}</td>
      <td class="number">{percent(share.share)}</td>
      <td class="number">{share.dueShare === 0 ? "–" : percent(share.dueShare)}</td>
    </tr>
  );
}
