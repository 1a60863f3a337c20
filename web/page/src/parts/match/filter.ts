/** Which matches are listed, as the address says it. */
import { MatchState } from "~/gen/fudaba/v1/matches_pb";

/** The states that can be asked for, in the order in which they are offered. */
export const STATES: readonly MatchState[] = [
  MatchState.PLAYING,
  MatchState.FINISHED,
  MatchState.OPEN,
  MatchState.WAITING,
  MatchState.ABORTED,
];

export interface Filter {
  readonly game: string;
  readonly state: MatchState;
  readonly bot: string;
  readonly label: string;
  readonly tag: string;
  /** The token of the page; empty for the first. */
  readonly page: string;
}

const WORDS = ["game", "state", "bot", "label", "tag", "page", "login"];

/** The part of an address's query that no filter can mean, such as `state=99`; undefined where there is none. */
export function unknownIn(query: Readonly<Record<string, string>>): string | undefined {
  const state = (query.state ?? "").trim();
  const known = ["", "0", ...STATES.map(String)].includes(state);
  const wrong = Object.entries(query).find(([name]) => !WORDS.includes(name) || (name === "state" && !known));
  return wrong?.join("=");
}

/** The filter of an address in which nothing is unknown. */
export function filterOf(query: Readonly<Record<string, string>>): Filter {
  const text = (name: string) => (query[name] ?? "").trim();
  return {
    game: text("game"),
    state: STATES.find((state) => String(state) === text("state")) ?? MatchState.UNSPECIFIED,
    bot: text("bot"),
    label: text("label"),
    tag: text("tag"),
    page: text("page"),
  };
}

/** The same as the address's query; what is not set is left out. */
export function queryOf(filter: Filter): string {
  const fields = Object.entries(filter).map(([name, value]) => [name, String(value)] as [string, string]);
  const query = new URLSearchParams(fields.filter(([, value]) => value !== "" && value !== "0")).toString();
  return query === "" ? "" : `?${query}`;
}
