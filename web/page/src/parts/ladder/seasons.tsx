/** From season to season of a ladder: the newest, and the archive. */
import { t } from "~/i18n";
import { Term } from "~/parts/term";
import "~/parts/ladder/choose.css";

export function Seasons(props: { ladder: string; newest: number; shown: number }) {
  const seasons = Array.from({ length: props.newest }, (_, before) => props.newest - before);
  return (
    <nav class="choose" aria-label={t("ladder.seasons")}>
      <span class="label">
        <Term word={t("ladder.season")} means="ladder.seasonMeans" />
      </span>
      {seasons.map((season) => (
        <a
          key={season}
          href={season === props.newest ? `/ladders/${props.ladder}` : `/ladders/${props.ladder}/seasons/${season}`}
          aria-current={season === props.shown ? "page" : undefined}
        >
          {season}
        </a>
      ))}
    </nav>
  );
}
