/** A submission, sent in pieces: what was received once is not sent again. */
import { Code } from "@connectrpc/connect";
import { arena } from "~/api/arena";
import { FROM_THIS_PAGE } from "~/api/from_this_page";
import { lapsed } from "~/api/session";

/** Bytes of a piece; the contract allows no more. */
const MAX_PIECE_BYTES = 512 * 1024;
/** Milliseconds before a piece is tried again, and how often. */
const PAUSE_MS = 1000;
const MAX_TRIES = 5;

export interface Upload {
  readonly bot: string;
  readonly file: File;
  readonly message: string;
  /** Told how many bytes the arena has. */
  progress(received: number): void;
  readonly signal: AbortSignal;
}

/** Sends a file; the id of the submission, whose stages begin. */
export async function upload(request: Upload): Promise<string> {
  // Browsers compute hashes only with TLS or on the same machine; elsewhere the gateway does.
  if (!("subtle" in crypto) || (crypto.subtle as SubtleCrypto | undefined) === undefined) return sendWhole(request);
  const content = await request.file.arrayBuffer();
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  const { signal } = request;
  const created = await arena.createSubmission(
    { bot: request.bot, file: request.file.name, size: BigInt(content.byteLength), sha256, message: request.message },
    { signal },
  );
  const submissionId = created.submission?.submissionId ?? "";
  let offset = Number(created.submission?.received ?? 0n);
  while (offset < content.byteLength) {
    request.progress(offset);
    const piece = new Uint8Array(content, offset, Math.min(MAX_PIECE_BYTES, content.byteLength - offset));
    const write = { submissionId, offset: BigInt(offset), content: piece };
    offset = Number((await again(() => arena.writeSubmission(write, { signal }), signal)).received);
  }
  request.progress(offset);
  await arena.finishSubmission({ submissionId }, { signal });
  return submissionId;
}

/** Sends a file in one request, in which nothing is resumed. */
async function sendWhole({ bot, file, message, signal }: Upload): Promise<string> {
  const path = `/submissions/${encodeURIComponent(bot)}/${encodeURIComponent(file.name)}`;
  const answer = await fetch(`${path}?message=${encodeURIComponent(message)}`, {
    method: "PUT",
    headers: FROM_THIS_PAGE,
    body: file,
    signal,
  });
  const content = (await answer.json()) as { submissionId?: string; message?: string };
  if (answer.status === 401) lapsed.value = true;
  if (content.submissionId === undefined) throw new Error(content.message ?? answer.statusText);
  return content.submissionId;
}

/** Does something again while the connection is lost; what is refused is refused at once. */
export async function again<T>(work: () => Promise<T>, signal: AbortSignal, pause = PAUSE_MS): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || attempt === MAX_TRIES || !isLost(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause * attempt));
    }
  }
}

/** Whether nobody has answered: the connection was lost, or the gateway could not reach the arena. */
function isLost(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === Code.Unavailable || code === Code.Unknown || code === Code.DeadlineExceeded;
}
