/** Positions of matches that the real rules played: `positions.py` writes them. */
import { readFileSync } from "node:fs";
import { fromBinary } from "@bufbuild/protobuf";
import type { EventOf, GameKey, MoveOf, SeatLabel, ViewOf } from "~/boards";
import { SeatUpdateSchema } from "~/gen/fudaba/v1/play_pb";

export interface Position<G extends GameKey> {
  /** Null: a spectator's. */
  readonly seat: number | null;
  readonly seats: readonly SeatLabel[];
  readonly view: ViewOf<G>;
  readonly moves: readonly MoveOf<G>[];
  /** How many legal moves there are, of which `moves` may be some. */
  readonly legalCount: number;
  readonly events: readonly EventOf<G>[];
}

const NAMES = ["Ann", "Bob", "Chiyo", "Dan", "Eve", "Fay"];
/** Where the files are; another folder than the one that is kept, with more of them, may be named. */
const FOLDER = process.env.FUDABA_POSITIONS ?? `${import.meta.dirname}/positions`;

/** The positions of a game. `file` is its id in the catalogue, `key` that in the contract's `oneof`s. */
export function positionsOf<G extends GameKey>(file: string, key: G): Position<G>[] {
  const kept = JSON.parse(readFileSync(`${FOLDER}/${file}.json`, "utf8")) as {
    seat: number | null;
    seats: number;
    update: string;
  }[];
  return kept.map(({ seat, seats, update }) => {
    const seatUpdate = fromBinary(SeatUpdateSchema, Uint8Array.from(Buffer.from(update, "base64")));
    const ofGame = (oneof: { case: string | undefined; value?: unknown } | undefined): unknown => {
      if (oneof?.case !== key) throw new Error(`a position of ${file} has something of ${oneof?.case ?? "no game"}`);
      return oneof.value;
    };
    return {
      seat,
      seats: NAMES.slice(0, seats).map((name) => ({ name })),
      view: ofGame((seatUpdate.decision?.view ?? seatUpdate.view)?.game) as ViewOf<G>,
      moves: (seatUpdate.decision?.legalMoves ?? []).map((move) => ofGame(move.game) as MoveOf<G>),
      legalCount: seatUpdate.decision?.legalCount ?? 0,
      events: seatUpdate.events.map((event) => ofGame(event.game) as EventOf<G>),
    };
  });
}
