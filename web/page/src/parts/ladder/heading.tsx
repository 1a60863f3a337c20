/** What a ladder or a tournament is, and how far. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Isolation, type Ladder, Sittings, type Tournament, TournamentFormat } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, number, t } from "~/i18n";
import { gameName } from "~/parts/games";
import { timeInZones } from "~/parts/ladder/time_in_zones";
import { Term } from "~/parts/term";
import "~/parts/ladder/heading.css";

const FORMATS: Partial<Record<TournamentFormat, [MessageKey, MessageKey]>> = {
  [TournamentFormat.ROUND_ROBIN]: ["ladder.roundRobin", "ladder.roundRobinMeans"],
  [TournamentFormat.GAUNTLET]: ["ladder.gauntlet", "ladder.gauntletMeans"],
  [TournamentFormat.SWISS]: ["ladder.swiss", "ladder.swissMeans"],
  [TournamentFormat.SINGLE_ELIMINATION]: ["ladder.singleElimination", "ladder.singleEliminationMeans"],
  [TournamentFormat.DOUBLE_ELIMINATION]: ["ladder.doubleElimination", "ladder.doubleEliminationMeans"],
};

const ISOLATIONS: Partial<Record<string, MessageKey>> = {
  bubblewrap: "ladder.isolationBubblewrap",
  pods: "ladder.isolationPods",
  unsafe: "ladder.isolationUnsafe",
  remote: "ladder.isolationRemote",
  "": "ladder.isolationUntold",
};

/** The way back to all ladders. */
export function Above() {
  return (
    <p class="above">
      <a href="/ladders">{t("ladder.laddersTitle")}</a>
    </p>
  );
}

export function FormatTerm({ format }: { format: TournamentFormat }) {
  const said = FORMATS[format];
  return said === undefined ? null : <Term word={t(said[0])} means={said[1]} />;
}

/** How far it is, in numbers; those that are 0 and would only be noise are left out. */
export function Progress({ tournament, ladder }: { tournament: Tournament; ladder?: Ladder | undefined }) {
  const progress = tournament.progress;
  const bots = ladder?.entriesPlaying ?? tournament.definition?.entrants.length ?? 0;
  const seatCores = tournament.definition?.limits.find((limit) => limit.name === "cores_per_seat")?.value ?? 0;
  const frozen = tournament.definition?.limits.some((limit) => limit.name === "ponder" && limit.value === 0) ?? false;
  const end = ladder?.definition?.endTime;
  return (
    <dl class="facts">
      <Fact name={t("ladder.bots")}>{number(bots)}</Fact>
      <Fact name={<Term word={t("ladder.blocks")} means="ladder.blockMeans" />}>
        {outOf(progress?.blocksCounted, progress?.blocksPlanned)}
      </Fact>
      <Fact name={t("ladder.matches")}>{outOf(progress?.matchesCounted, progress?.matchesPlanned)}</Fact>
      {(progress?.matchesPlaying ?? 0) > 0 && (
        <Fact name={t("ladder.playingNow")}>{number(progress?.matchesPlaying ?? 0)}</Fact>
      )}
      {(progress?.blocksVoid ?? 0) > 0 && (
        <Fact name={<Term word={t("ladder.voidBlocks")} means="ladder.blockVoidMeans" />}>
          {number(progress?.blocksVoid ?? 0)}
        </Fact>
      )}
      {tournament.definition?.clock?.noNetworkCredit === true && (
        <Fact name={<Term word={t("ladder.network")} means="ladder.noNetworkCreditMeans" />}>
          {t("ladder.noNetworkCredit")}
        </Fact>
      )}
      {tournament.definition?.sittings === Sittings.FRESH && (
        <Fact name={<Term word={t("ladder.deals")} means="ladder.freshDealsMeans" />}>{t("ladder.freshDeals")}</Fact>
      )}
      {ladder?.definition?.namesHidden === true && (
        <Fact name={<Term word={t("ladder.names")} means="ladder.namesMeans" />}>{t("ladder.namesHidden")}</Fact>
      )}
      {seatCores > 0 && (
        <Fact name={<Term word={t("ladder.seatCores")} means="ladder.seatCoresMeans" />}>{number(seatCores)}</Fact>
      )}
      {(ladder?.isolations ?? []).length > 0 && (
        <Fact name={<Term word={t("ladder.isolation")} means="ladder.isolationMeans" />}>
          {ladder?.isolations.map(isolationWords).join(" · ")}
        </Fact>
      )}
      {frozen && (
        <Fact name={<Term word={t("ladder.pondering")} means="ladder.noPonderingMeans" />}>
          {t("ladder.noPondering")}
        </Fact>
      )}
      {end !== undefined && (
        <Fact name={t("ladder.ends")}>{timeInZones(timestampDate(end), ladder?.definition?.endZone)}</Fact>
      )}
    </dl>
  );
}

function isolationWords({ mode, version, notEnforced, enforcementTold }: Isolation): string {
  const key = ISOLATIONS[mode];
  const kind = key === undefined ? mode : t(key);
  const said = version === "" ? kind : t("ladder.isolationOf", { mode: kind, version });
  if (notEnforced.length === 0) return said;
  const rules = notEnforced.join(", ");
  return `${said} – ${t(enforcementTold ? "ladder.notEnforced" : "ladder.enforcementUntold", { rules })}`;
}

function outOf(done: number | undefined, planned: number | undefined): string {
  const counted = number(done ?? 0);
  return planned === undefined ? counted : `${counted} / ${number(planned)}`;
}

function Fact(props: { name: preact.ComponentChildren; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

/** The promise about the deals, and what it is good for. */
export function Fairness({ tournament }: { tournament: Tournament }) {
  return (
    <details class="fairness">
      <summary>{t("ladder.fairness")}</summary>
      <p>{t("ladder.fairnessHow")}</p>
      <dl>
        <dt>
          <Term word={t("ladder.commitment")} means="ladder.commitmentMeans" />
        </dt>
        <dd>
          <code>{hex(tournament.commitment)}</code>
        </dd>
        {tournament.master.length > 0 && (
          <>
            <dt>
              <Term word={t("ladder.master")} means="ladder.masterMeans" />
            </dt>
            <dd>
              <code>{hex(tournament.master)}</code>
            </dd>
          </>
        )}
      </dl>
    </details>
  );
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The games of a tournament with their seats and what of the options is said, in one line. */
export function Games({ tournament }: { tournament: Tournament }) {
  return (
    <>
      {tournament.definition?.games.map((played, at) => (
        <span key={played.game}>
          {at > 0 && " · "}
          <a href={`/games/${played.game}`}>{gameName(played.game)}</a>
        </span>
      ))}
    </>
  );
}
