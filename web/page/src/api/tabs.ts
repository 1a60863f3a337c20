/** What tabs and the worker that they share say to each other; see `tabs_worker.ts`. */

/** A tab's word. Streams have numbers that the tab chooses, and each is about a match. */
export type FromTab =
  | {
      readonly kind: "open";
      readonly id: number;
      readonly method: string;
      readonly about: string;
      readonly request: Uint8Array;
    }
  | { readonly kind: "close"; readonly id: number }
  | { readonly kind: "here" };

/** The worker's word to a tab. */
export type ToTab =
  | { readonly kind: "taken"; readonly id: number }
  | { readonly kind: "message"; readonly id: number; readonly message: Uint8Array }
  | { readonly kind: "ended"; readonly id: number }
  /** By the service, for good or for now; the Connect protocol's JSON. */
  | { readonly kind: "refused"; readonly id: number; readonly error: unknown }
  /** The connection was lost. */
  | { readonly kind: "lost"; readonly id: number }
  /** It is to be opened without the worker: another tab has the same one, or the gateway knows of no such streams. */
  | { readonly kind: "apart"; readonly id: number }
  | { readonly kind: "ask" };

/** A frame of the gateway's answer; see `fudaba_web.tabs`. */
export interface Frame {
  readonly stream: number;
  readonly kind: number;
  /** The request with which the stream goes on after this. */
  readonly request: Uint8Array;
  readonly content: Uint8Array;
}

export const [MESSAGE, END, REFUSED] = [0, 1, 2];
const HEAD_BYTES = 9;
const LENGTH_BYTES = 4;

/** The whole frames in what has been read so far, and the rest. */
export function framesIn(read: Uint8Array): { frames: Frame[]; rest: Uint8Array } {
  const frames: Frame[] = [];
  let rest = read;
  while (rest.length >= HEAD_BYTES) {
    const head = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
    const end = LENGTH_BYTES + head.getUint32(0);
    if (rest.length < end) break;
    const content = HEAD_BYTES + head.getUint16(7);
    frames.push({
      stream: head.getUint16(4),
      kind: head.getUint8(6),
      request: rest.slice(HEAD_BYTES, content),
      content: rest.slice(content, end),
    });
    rest = rest.subarray(end);
  }
  return { frames, rest };
}

/** Bytes as JSON has them. */
export function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
