/** How the time of a match was spent: a bar for each decision, and the same as a table that leads to each of them. */
import { useState } from "preact/hooks";
import type { SeatLabel } from "~/boards";
import type { Position } from "~/gen/fudaba/v1/matches_pb";
import { number, t } from "~/i18n";
import type { AnsweredDecision } from "~/parts/match/replay";

const HEIGHT_PIXELS = 48;
const BAR_PIXELS = 6;

export interface TimesProps {
  readonly decisions: readonly AnsweredDecision[];
  readonly positions: readonly Position[];
  readonly seats: readonly SeatLabel[];
  readonly at: number;
  /** What was told of a position, in words. */
  readonly narrationAt: (at: number) => string;
  readonly notes: ReadonlyMap<string, string>;
  readonly go: (at: number) => void;
}

export function Times(props: TimesProps) {
  const [open, setOpen] = useState(false);
  return (
    <section class="match-times" aria-labelledby="match-times-title">
      <h2 id="match-times-title">{t("match.times.title")}</h2>
      <p class="quiet">{t("match.times.explained")}</p>
      {props.seats.map((seat, place) => (
        <SeatBars key={place} {...props} seat={place} name={seat.name} />
      ))}
      <details
        onToggle={(event) => {
          setOpen(event.currentTarget.open);
        }}
      >
        <summary>{t("match.decisions", { count: props.decisions.length })}</summary>
        {open && <DecisionTable {...props} />}
      </details>
    </section>
  );
}

/** The bars of one seat. A bar is as high as the root of its time: a second is seen beside a minute. */
function SeatBars(props: TimesProps & { seat: number; name: string }) {
  const own = props.decisions.filter((decision) => decision.seat === props.seat);
  if (own.length === 0) return null;
  const longest = Math.max(1, ...props.decisions.map((decision) => decision.botMs));
  const most = Math.max(...own.map((decision) => decision.botMs));
  const sum = own.reduce((total, decision) => total + decision.botMs, 0);
  const values = { name: props.name, count: own.length, longest: seconds(most), sum: seconds(sum) };
  const banks = own.map((decision) => props.positions[decision.at]?.bankMs[props.seat] ?? 0);
  const full = Math.max(...banks);
  const line = banks
    .map((bank, place) => `${(place + 0.5) * BAR_PIXELS},${HEIGHT_PIXELS * (1 - bank / full)}`)
    .join(" ");
  return (
    <figure class="match-bars">
      <figcaption>{t("match.times.seat", values)}</figcaption>
      <svg
        style={{ maxWidth: `${own.length * 24}px` }}
        viewBox={`0 0 ${own.length * BAR_PIXELS} ${HEIGHT_PIXELS}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t("match.times.seat", values)}
      >
        {own.map((decision, place) => (
          <Bar
            key={decision.at}
            decision={decision}
            left={place * BAR_PIXELS}
            height={HEIGHT_PIXELS * Math.sqrt(decision.botMs / longest)}
            current={decision.at === props.at}
            go={props.go}
          />
        ))}
        {full > 0 && <polyline class="match-bank-line" points={line} />}
      </svg>
    </figure>
  );
}

function Bar(props: {
  decision: AnsweredDecision;
  left: number;
  height: number;
  current: boolean;
  go: (at: number) => void;
}) {
  const { decision, left, height } = props;
  const high = Math.max(1, height);
  const kind = decision.timedOut ? "match-bar is-late" : "match-bar";
  return (
    <g
      class={props.current ? `${kind} is-current` : kind}
      onClick={() => {
        props.go(decision.at);
      }}
    >
      <rect class="match-bar-room" x={left} y={0} width={BAR_PIXELS} height={HEIGHT_PIXELS} />
      <rect x={left + 0.5} y={HEIGHT_PIXELS - high} width={BAR_PIXELS - 1} height={high} />
      <title>{t("match.times.bar", { at: decision.at, seconds: seconds(decision.botMs) })}</title>
    </g>
  );
}

function DecisionTable({ decisions, seats, positions, at, narrationAt, notes, go }: TimesProps) {
  return (
    <div
      class="scroll match-table"
      role="region"
      aria-label={t("match.decisions", { count: decisions.length })}
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{t("match.column.position")}</th>
            <th scope="col">{t("match.column.seat")}</th>
            <th scope="col">{t("match.column.happened")}</th>
            <th scope="col" class="number">
              {t("match.column.time")}
            </th>
            <th scope="col" class="number">
              {t("match.column.bank")}
            </th>
            {notes.size > 0 && <th scope="col">{t("match.column.note")}</th>}
          </tr>
        </thead>
        <tbody>
          {decisions.map((decision) => (
            <tr key={decision.at} class={decision.at === at ? "is-current" : ""}>
              <td>
                <button
                  type="button"
                  class="bare match-line"
                  onClick={() => {
                    go(decision.at);
                  }}
                >
                  {decision.at}
                </button>
              </td>
              <td>{seats[decision.seat]?.name}</td>
              <td>{decision.timedOut ? t("match.late") : narrationAt(decision.at + 1)}</td>
              <td class="number">{seconds(decision.botMs)}</td>
              <td class="number">{seconds(positions[decision.at]?.bankMs[decision.seat] ?? 0)}</td>
              {notes.size > 0 && <td>{notes.get(decision.id) ?? ""}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A time in the unit in which it is easily read. */
function seconds(ms: number): string {
  return ms < 1000
    ? t("match.milliseconds", { ms: number(ms) })
    : t("match.seconds", { seconds: number(ms / 1000, ms < 10_000 ? 1 : 0) });
}
