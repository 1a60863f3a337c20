/** A match as a part of somebody's page. */
import { useRoute } from "preact-iso";
import { t } from "~/i18n";
import { MatchView } from "~/parts/match/view";

export default function Embed() {
  const matchId = useRoute().params.match ?? "";
  if (isWithoutOrigin()) {
    return (
      <p class="notice">
        {t("match.frameDenied")}{" "}
        <a href={`/matches/${encodeURIComponent(matchId)}`} target="_blank" rel="noopener">
          {t("match.frameOpen")}
        </a>
      </p>
    );
  }
  return <MatchView matchId={matchId} embedded />;
}

/** Whether a frame with `sandbox` took the page's origin away: then the gateway answers nothing that it asks. */
function isWithoutOrigin(): boolean {
  return self.origin === "null";
}
