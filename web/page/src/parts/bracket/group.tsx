/** A group of a bracket: its bots, their points, and who goes on. */
import { type Bracket, BracketDecision, type BracketSeat, type Tournament } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import type { GroupBox } from "~/parts/bracket/layout";
import { GroupMatches } from "~/parts/bracket/matches";
import { groupName, reachedBy, reasonOf, seatName } from "~/parts/bracket/words";
import { nameOf } from "~/parts/ladder/names";
import { LooksLike } from "~/parts/looks_like";
import { Tag } from "~/parts/tag";

interface GroupProps extends GroupBox {
  readonly bracket: Bracket;
  readonly tournament: Tournament;
}

export function Group({ group, number: place, bracket, tournament }: GroupProps) {
  const known = group.seats.every((seat) => seat.bot !== "");
  const isOpen = group.decidedBy === BracketDecision.UNSPECIFIED;
  const isPlaying = isOpen && known && group.round <= bracket.roundsBegun;
  const reason = reasonOf(group, tournament.withdrawals);
  return (
    <div class={isPlaying ? "bracket-group playing" : "bracket-group"}>
      <p class="bracket-name">
        <span>{groupName(group, place)}</span>
        {isPlaying && <Tag tone="live">{t("bracket.playing")}</Tag>}
        {known && group.decidedBy !== BracketDecision.NOT_NEEDED && (group.blocks > 0 || isPlaying) && (
          <GroupMatches tournament={tournament.name} bots={group.seats.map((seat) => seat.bot)} />
        )}
      </p>
      <ul>
        {group.seats.map((seat) => (
          <Seat
            key={`${seat.fromGroup} ${seat.fromPlace} ${seat.seed}`}
            seat={seat}
            name={seatName(seat, bracket.groups)}
            looksLike={bracket.places.find(({ bot }) => bot !== "" && bot === seat.bot)?.looksLike ?? ""}
            points={group.blocks > 0 ? seat.points : undefined}
            reached={
              seat.place >= 1 && seat.place <= group.advancing && group.decidedBy !== BracketDecision.NOT_NEEDED
                ? reachedBy(group)
                : undefined
            }
          />
        ))}
      </ul>
      {group.advancing > 1 && isOpen && <p class="quiet small">{t("bracket.goOn", { count: group.advancing })}</p>}
      {reason !== "" && <p class="small">{reason}</p>}
    </div>
  );
}

interface SeatProps {
  readonly seat: BracketSeat;
  readonly name: string;
  /** A bot of another author that people could mistake for it; empty for most. */
  readonly looksLike: string;
  readonly points: number | undefined;
  /** What it has reached by this group, in words. */
  readonly reached: string | undefined;
}

function Seat({ seat, name, looksLike, points, reached }: SeatProps) {
  return (
    <li class={reached === undefined ? undefined : "ahead"}>
      {seat.bot !== "" && (
        <span class="bracket-seed quiet">
          <span class="unseen">{t("bracket.seedOf", { seed: String(seat.seed) })} </span>
          <span aria-hidden="true">{seat.seed}</span>
        </span>
      )}
      {seat.bot === "" ? (
        <span class="quiet">{name}</span>
      ) : (
        <span>
          <a class="plain" href={`/bots/${nameOf(seat.bot)}`}>
            {name}
          </a>
          <LooksLike other={looksLike} />
        </span>
      )}
      <span class="bracket-result">
        {points !== undefined && (
          <>
            <span aria-hidden="true">{number(points, 2)}</span>
            <span class="unseen"> {t("bracket.points", { points: number(points, 2) })}</span>
          </>
        )}
        {reached !== undefined && (
          <>
            <span aria-hidden="true"> ✓</span>
            <span class="unseen"> {reached}</span>
          </>
        )}
      </span>
    </li>
  );
}
