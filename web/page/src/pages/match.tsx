/** One match: live as a spectator sees it, or again once it is over. */
import { useRoute } from "preact-iso";
import { MatchView } from "~/parts/match/view";

export default function Match() {
  return <MatchView matchId={useRoute().params.match ?? ""} />;
}
