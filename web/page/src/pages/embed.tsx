/** A match as a part of somebody's page: the same without what stands around every page. */
import { useLayoutEffect } from "preact/hooks";
import { useRoute } from "preact-iso";
import { MatchView } from "~/parts/match/view";

export default function Embed() {
    useLayoutEffect(() => {
        document.documentElement.classList.add("embedded");
        return () => {
            document.documentElement.classList.remove("embedded");
        };
    }, []);
    return <MatchView matchId={useRoute().params.match ?? ""} embedded />;
}
