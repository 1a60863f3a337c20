/**
 * A record checked here, in the reader's browser, from what docs/verifying.md says and nothing else: that the deals
 * were fixed before the first card. Whether every move was legal the service's VerifyRecord says, or `fudaba record verify`.
 */
import type { GameKey } from "~/boards";
import type { Event } from "~/gen/fudaba/v1/game_pb";
import type { MatchRecord } from "~/gen/fudaba/v1/record_pb";
import { commitmentOf, hex } from "~/verify/chance";
import { type Dealt, handsOf, nagaTable, nertsTable } from "~/verify/deals";

/** One thing that was checked. */
export interface Check {
  readonly subject: "commitment" | "dealer" | "hand" | "table";
  /** Which deal, from 1, and which seat, from 1; 0 where there is none. */
  readonly deal: number;
  readonly seat: number;
  readonly holds: boolean;
}

/** Whether this browser can: without https it has no SHA-256. */
export function canVerify(): boolean {
  return "crypto" in globalThis && "subtle" in crypto;
}

/** Whether the commitment that was told before the first card is that of the record's seed. */
export async function checkCommitment(record: MatchRecord): Promise<Check> {
  const { matchId = "", commitment = new Uint8Array() } = record.header ?? {};
  const made = await commitmentOf(record.salt, record.seed, matchId);
  return { subject: "commitment", deal: 0, seat: 0, holds: hex(made) === hex(commitment) };
}

/**
 * Whether the cards that a seat, or a spectator, was told at the beginning of each deal are those of the record's seed;
 * `events` are all that it was told.
 */
export async function* checkDeals(record: MatchRecord, events: readonly Event[]): AsyncGenerator<Check> {
  const seats = record.header?.players.length ?? 0;
  let dealt: Dealt | undefined;
  let received = false;
  for (const { game } of events) {
    if (game.case === undefined) continue;
    const kind = (game.value as DealEvent).kind;
    if (kind.case === "dealt") {
      dealt = dealtOf(kind.value, seats);
      received = false;
      yield* checkPublic(game.case, record, kind.value, dealt);
    } else if (kind.case === "received" && dealt !== undefined && !received) {
      received = true;
      const check = await checkHand(game.case, record, kind.value, dealt);
      if (check !== undefined) yield check;
    }
  }
}

/** What the events of deals have in common, whatever the game. */
interface DealEvent {
  readonly kind: { readonly case?: string; readonly value?: AnnouncedCards };
}
interface AnnouncedCards {
  readonly deal?: number;
  readonly dealer?: number;
  readonly thrownIn?: number;
  readonly playing?: readonly number[];
  readonly seat?: number;
  readonly cards?: readonly number[];
  readonly table?: readonly number[];
  readonly nertsTops?: readonly number[];
  readonly workCards?: readonly number[];
}

function dealtOf(announced: AnnouncedCards | undefined, seats: number): Dealt {
  const { deal = 0, dealer = 0, thrownIn = 0, playing } = announced ?? {};
  return { deal, dealer, shuffle: thrownIn, playing: playing ?? Array.from({ length: seats }, (_, seat) => seat) };
}

async function* checkPublic(
  game: GameKey,
  record: MatchRecord,
  announced: AnnouncedCards | undefined,
  dealt: Dealt,
): AsyncGenerator<Check> {
  const seats = record.header?.players.length ?? 1;
  const which = { deal: dealt.deal + 1, seat: 0 };
  const first = record.header?.options.first_dealer?.value;
  if (dealt.deal === 0 && first?.case === "number") {
    yield { subject: "dealer", ...which, holds: Number(first.value) % seats === dealt.dealer };
  }
  if (game === "naga") {
    yield { subject: "table", ...which, holds: same(announced?.table, await nagaTable(record.seed, dealt.deal)) };
  } else if (game === "nerts") {
    const { tops, works } = await nertsTable(record.seed, dealt.deal, seats);
    yield { subject: "table", ...which, holds: same(announced?.nertsTops, tops) && same(announced?.workCards, works) };
  }
}

async function checkHand(
  game: GameKey,
  record: MatchRecord,
  announced: AnnouncedCards | undefined,
  dealt: Dealt,
): Promise<Check | undefined> {
  const { seat = 0, cards = [] } = announced ?? {};
  const seats = record.header?.players.length ?? 0;
  const hands = await handsOf(game, record.seed, seats, dealt, cards.length);
  if (hands === undefined) return undefined;
  return { subject: "hand", deal: dealt.deal + 1, seat: seat + 1, holds: same(cards, hands[seat] ?? []) };
}

function same(some: readonly number[] | undefined, others: readonly number[]): boolean {
  return some?.length === others.length && some.every((card, place) => card === others[place]);
}
