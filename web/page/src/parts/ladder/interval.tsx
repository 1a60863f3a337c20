/** A rating with its interval, drawn as a bar on a scale that all rows share. */
import type { Standing } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import "~/parts/ladder/interval.css";

export interface Scale {
  readonly low: number;
  readonly high: number;
}

export function Interval(props: { standing: Standing; scale: Scale }) {
  const { rating, low, high } = props.standing;
  if (low === undefined || high === undefined) return <span class="quiet">–</span>;
  const at = (value: number) =>
    `${(((value - props.scale.low) / (props.scale.high - props.scale.low)) * 100).toFixed(2)}%`;
  const said = t("ladder.interval", { low: number(low), high: number(high) });
  return (
    <span class="interval" role="img" aria-label={said} title={said}>
      <span style={{ left: at(low), right: `calc(100% - ${at(high)})` }} />
      <i style={{ left: at(rating) }} />
    </span>
  );
}

/** A rating and how far it may be off: “1,732 ± 56”. */
export function Rating({ standing }: { standing: Standing }) {
  if (standing.low === undefined || standing.high === undefined) return <span class="quiet">–</span>;
  return (
    <>
      <strong>{number(standing.rating)}</strong>{" "}
      <span class="quiet half">± {number((standing.high - standing.low) / 2)}</span>
    </>
  );
}

/** By how much a rating has moved. */
export function Trend({ by }: { by: number | undefined }) {
  if (by === undefined) return <span class="quiet">–</span>;
  const whole = Math.round(by);
  if (whole === 0) return <span class="quiet">±0</span>;
  return whole > 0 ? <span class="good">▲ {number(whole)}</span> : <span class="bad">▼ {number(-whole)}</span>;
}
