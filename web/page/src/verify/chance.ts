/** What the contract's page derives from a match's seed: numbers, shuffles, and the commitment to the seed. */

const encoder = new TextEncoder();

async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) {
    all.set(part, place);
    place += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all));
}

/** A whole number in so many bytes, the largest first. */
function bytesOf(value: number, length: 4 | 8): Uint8Array {
  const view = new DataView(new ArrayBuffer(length));
  if (length === 4) view.setUint32(0, value);
  else view.setBigUint64(0, BigInt(value));
  return new Uint8Array(view.buffer);
}

/** SHA-256("fudaba-commit-v1" || salt || seed || match id). */
export async function commitmentOf(salt: Uint8Array, seed: Uint8Array, matchId: string): Promise<Uint8Array> {
  return await sha256(encoder.encode("fudaba-commit-v1"), salt, seed, encoder.encode(matchId));
}

/** The numbers of shuffle `k` of a match's deal `d`, one after the other. */
async function* numbers(seed: Uint8Array, deal: number, shuffle: number): AsyncGenerator<bigint, never> {
  const name = encoder.encode("fudaba-shuffle-v1");
  for (let part = 0; ; part += 1) {
    const block = await sha256(seed, name, bytesOf(deal, 4), bytesOf(shuffle, 4), bytesOf(part, 8));
    const view = new DataView(block.buffer);
    for (let place = 0; place < 32; place += 8) yield view.getBigUint64(place);
  }
}

const VALUE_COUNT = 2n ** 64n;

/** So many cards, given by their places in deck order, as this shuffle puts them; the first one is the top. */
export async function shuffled(cards: number, seed: Uint8Array, deal: number, shuffle: number): Promise<number[]> {
  const order = Array.from({ length: cards }, (_, card) => card);
  const stream = numbers(seed, deal, shuffle);
  const below = async (n: number) => {
    const most = VALUE_COUNT - (VALUE_COUNT % BigInt(n));
    for (;;) {
      const { value } = await stream.next();
      if (value < most) return Number(value % BigInt(n));
    }
  };
  for (let last = cards - 1; last > 0; last -= 1) {
    const other = await below(last + 1);
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return order;
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
