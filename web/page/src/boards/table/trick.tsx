/** A trick: what each seat has laid, whose it is, and who takes it. A battle and a round of melds are tricks, too. */
import type { ComponentChildren } from "preact";
import "~/boards/table/trick.css";

/** How the plays lie: each before its seat, beside each other with the newest first, or as lines. */
type Shape = "seats" | "newest" | "lines";

/** The plays of a trick. `label` is said above them, `result` below: who has taken it, or what it waits for. */
export function Trick(props: {
  shape: Shape;
  label?: string;
  result?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class={`trick is-${props.shape}`} {...(props.label !== undefined && { "aria-label": props.label })}>
      {props.label !== undefined && <b>{props.label}</b>}
      {props.children}
      {props.result !== undefined && <span class="trick-result">{props.result}</span>}
    </section>
  );
}

/** What one seat has laid to a trick: whose it is, what there is to say of it, its cards. */
export function Play(props: {
  name: string;
  caption?: ComponentChildren;
  /** In the shape `seats`: the seat's place in turn order from the nearest. */
  place?: number;
  /** Whether it is the one to be beaten. */
  best?: boolean;
  /** Whether it has taken the trick. */
  took?: boolean;
  children: ComponentChildren;
}) {
  const marks = `${props.best === true ? " is-best" : ""}${props.took === true ? " took" : ""}`;
  return (
    <div class={`trick-play${marks}${props.place === undefined ? "" : ` place-${props.place}`}`}>
      <span class="trick-name">
        <b>{props.name}</b> {props.caption}
      </span>
      {props.children}
    </div>
  );
}

/** What was laid in the trick of the last play: all since the event that began it or ended the one before. */
export function lastPlays<Happened, Laid>(
  events: readonly Happened[],
  laidBy: (event: Happened) => Laid | undefined,
  isBetween: (event: Happened) => boolean,
): Laid[] {
  const last = events.findLastIndex((event) => laidBy(event) !== undefined);
  const between = events.slice(0, Math.max(0, last)).findLastIndex(isBetween);
  return events.slice(between + 1, last + 1).flatMap((event) => laidBy(event) ?? []);
}
