/** A part of a bracket: a column for each round, with lines from group to group. */
import { useId } from "preact/hooks";
import type { Bracket, Tournament } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Group } from "~/parts/bracket/group";
import type { ByeBox, Column, Line, Part } from "~/parts/bracket/layout";
import { columnName, seatName } from "~/parts/bracket/words";

/** With more columns, a printed page has the rounds below each other. */
const MAX_PRINTED_COLUMNS = 6;

interface DrawingProps {
  readonly part: Part;
  readonly bracket: Bracket;
  readonly tournament: Tournament;
}

export function Drawing({ part, bracket, tournament }: DrawingProps) {
  const name = t(`bracket.${part.side}`);
  const width = part.columns.length > MAX_PRINTED_COLUMNS ? "bracket-rounds wide" : "bracket-rounds";
  return (
    <>
      {part.side !== "whole" && <h3>{name}</h3>}
      <div class="scroll bracket-part" role="region" aria-label={name} tabIndex={0}>
        <div
          class={width}
          style={{
            "--columns": part.columns.length,
            gridTemplateRows: `auto repeat(${part.rows}, 1fr)`,
          }}
        >
          {part.lines.length > 0 && <Lines part={part} />}
          {part.columns.map((column, at) => (
            <Round
              key={column.round}
              at={at}
              column={column}
              bracket={bracket}
              tournament={tournament}
              Heading={part.side === "whole" ? "h3" : "h4"}
            />
          ))}
        </div>
      </div>
    </>
  );
}

interface RoundProps {
  readonly at: number;
  readonly column: Column;
  readonly bracket: Bracket;
  readonly tournament: Tournament;
  readonly Heading: "h3" | "h4";
}

function Round({ at, column, bracket, tournament, Heading }: RoundProps) {
  const id = useId();
  return (
    <div class="bracket-round" role="group" aria-labelledby={id} style={{ gridColumn: at + 1 }}>
      <Heading id={id}>{columnName(column)}</Heading>
      <ol>
        {column.groups.map((box) => (
          <li key={box.number} style={rowsOf(box)}>
            <Group {...box} bracket={bracket} tournament={tournament} />
          </li>
        ))}
        {column.byes.map((box) => (
          <li key={`${box.seat.fromGroup} ${box.seat.seed}`} style={rowsOf(box)}>
            <p class="bracket-bye">
              {seatName(box.seat, bracket.groups)} <span class="quiet">({t("bracket.bye")})</span>
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The rows of a box in the grid of its column. */
const rowsOf = ({ row, rows }: Pick<ByeBox, "row" | "rows">) => ({ gridRow: `${row + 1} / span ${rows}` });

function Lines({ part }: { part: Part }) {
  return (
    <svg
      class="bracket-lines"
      viewBox={`0 0 ${part.columns.length} ${part.rows}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {part.lines.map((line) => (
        <path key={line.from.join(" ")} d={pathOf(line)} />
      ))}
    </svg>
  );
}

/** From the middle of a box to the edge of the later column, up or down there, and to the middle of the other box. */
function pathOf({ from, to }: Line): string {
  return `M${from[0] + 0.5} ${from[1]}H${to[0]}V${to[1]}H${to[0] + 0.5}`;
}
