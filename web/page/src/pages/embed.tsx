/** A match as a part of somebody's page. */
import { useRoute } from "preact-iso";
import { MatchView } from "~/parts/match/view";

export default function Embed() {
  return <MatchView matchId={useRoute().params.match ?? ""} embedded />;
}
