/** A ladder: its newest season as it is played, or one that is over. */
import { useRoute } from "preact-iso";
import { useCallback } from "preact/hooks";
import { arena } from "~/api/arena";
import type { Ladder as LadderMessage } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Above, Fairness, Games, Progress } from "~/parts/ladder/heading";
import { LadderStateTag, TournamentStateTag } from "~/parts/ladder/states";
import { useLiveLadder } from "~/parts/ladder/live";
import { News } from "~/parts/ladder/news";
import { seasonName } from "~/parts/ladder/names";
import { Season } from "~/parts/ladder/season";
import { Seasons } from "~/parts/ladder/seasons";
import { Failed, Loading, Shown, useLoad } from "~/parts/load";
import { useTitle } from "~/parts/title";

const loadAnnouncements = () => import("~/parts/ladder/announcements");

export default function Ladder() {
  const { params } = useRoute();
  const name = params.ladder ?? "";
  const season = Number(params.season ?? "0");
  useTitle(season === 0 ? name : t("ladder.seasonOf", { ladder: name, season }), t("shell.ladders"));
  const read = useLoad(useCallback((signal: AbortSignal) => arena.getLadder({ ladder: name }, { signal }), [name]));
  if (read.state === "loading") return <Loading />;
  if (read.state === "failed") return <Failed error={read.error} again={read.again} />;
  const { ladder } = read.value;
  if (ladder?.tournament === undefined) return <Loading />;
  return season === 0 || season === ladder.season ? <Newest read={ladder} /> : <Past ladder={ladder} season={season} />;
}

function Newest({ read }: { read: LadderMessage }) {
  const live = useLiveLadder(read);
  const ladder = live?.ladder ?? read;
  const { name } = read;
  const { tournament } = ladder;
  if (tournament === undefined) return <Loading />;
  return (
    <>
      <Above />
      <div class="heading">
        <h1>{name}</h1>
        <LadderStateTag state={ladder.state} />
      </div>
      <p>
        <Games tournament={tournament} />
      </p>
      {ladder.definition !== undefined && ladder.definition.description !== "" && (
        <p class="ladder-description">{ladder.definition.description}</p>
      )}
      <Seasons ladder={name} newest={ladder.season} shown={ladder.season} />
      <Announced ladder={name} />
      <Progress tournament={tournament} ladder={ladder} />
      <Season tournament={tournament} ladder={name} />
      <News changes={live?.news ?? []} />
      <Fairness tournament={tournament} />
    </>
  );
}

/** The announcements, which the page does not wait for. */
function Announced({ ladder }: { ladder: string }) {
  const part = useLoad(loadAnnouncements);
  if (part.state === "loading") return null;
  if (part.state === "failed") return <Failed error={part.error} again={part.again} />;
  const { Announcements } = part.value;
  return <Announcements ladder={ladder} />;
}

function Past({ ladder, season }: { ladder: LadderMessage; season: number }) {
  const tournament = seasonName(ladder.name, season);
  const read = useLoad(
    useCallback((signal: AbortSignal) => arena.getTournament({ tournament }, { signal }), [tournament]),
  );
  return (
    <Shown loaded={read}>
      {({ tournament: past }) =>
        past !== undefined && (
          <>
            <Above />
            <div class="heading">
              <h1>{t("ladder.seasonOf", { ladder: ladder.name, season })}</h1>
              <TournamentStateTag state={past.state} />
            </div>
            <Seasons ladder={ladder.name} newest={ladder.season} shown={season} />
            <Progress tournament={past} />
            <Season tournament={past} />
            <Fairness tournament={past} />
          </>
        )
      }
    </Shown>
  );
}
