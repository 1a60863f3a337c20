/** The site's status, as the gateway has seen it. It answers while the service or the arena is away. */
import { create } from "@bufbuild/protobuf";
import { READ_MS, inTime } from "~/api/deadlines";
import { IdleCause, type IdleReason, IdleReasonSchema } from "~/gen/fudaba/v1/arena_pb";

/** Whether a server answers, and since when; `sinceAtLeast`: since this gateway looked first, or for longer. */
export interface Presence {
  readonly state: "there" | "away" | "unknown";
  readonly since: string | null;
  readonly sinceAtLeast: boolean;
}

export interface LadderStatus {
  readonly name: string;
  readonly state: string;
  readonly matchesPlaying: number;
  readonly matchesCounted: number;
  /** How many workers play the bots that authors have uploaded. */
  readonly workers: number;
  /** Why nothing is played, and the same in the arena's English; absent while something is. */
  readonly idleReason?: IdleReasonJson;
  readonly idleBecause?: string;
}

/**
 * An `IdleReason` in protobuf's JSON. Code that reads any such message would be part of the first view. The cause is a number
 * where the gateway does not know it, and absent where it is unspecified.
 */
type IdleReasonJson = Partial<Omit<IdleReason, "$typeName" | "$unknown" | "cause" | "beginTime" | "endTime">> & {
  readonly cause?: string | number;
  readonly beginTime?: string;
  readonly endTime?: string;
};

export interface Status {
  readonly now: string;
  readonly version: string;
  readonly service: Presence;
  /** Null: this site has none. */
  readonly arena: Presence | null;
  readonly maintenance: { readonly beginTime: string; readonly endTime: string; readonly text: string } | null;
  /** Null: not known, since the arena is away. */
  readonly ladders: readonly LadderStatus[] | null;
  readonly matchesCounted: number | null;
  /** When the gateway saw that a match had counted. */
  readonly lastResultTime: string | null;
}

export async function askStatus(signal: AbortSignal): Promise<Status> {
  const answer = await inTime(READ_MS, (ends) => fetch("/status.json", { signal: ends }), signal);
  if (!answer.ok) throw new Error(answer.statusText);
  return (await answer.json()) as Status;
}

/** The message of an `IdleReason` in JSON; a cause that this page does not know is unspecified. */
export function idleReasonOf({ cause = "", beginTime, endTime, ...mentioned }: IdleReasonJson): IdleReason {
  const causes: Readonly<Record<string, IdleCause | string | undefined>> = IdleCause;
  const known = causes[String(cause).replace("IDLE_CAUSE_", "")];
  const timestamp = (text: string) => ({ seconds: BigInt(Math.floor(Date.parse(text) / 1000)) });
  return create(IdleReasonSchema, {
    ...mentioned,
    cause: typeof known === "number" ? known : IdleCause.UNSPECIFIED,
    ...(beginTime !== undefined && { beginTime: timestamp(beginTime) }),
    ...(endTime !== undefined && { endTime: timestamp(endTime) }),
  });
}
