/** A record as the file that `fudaba record` reads, and as JSON. */
import { toBinary, toJsonString } from "@bufbuild/protobuf";
import { type MatchRecord, MatchRecordSchema } from "~/gen/fudaba/v1/record_pb";

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** One segment, and the size of what is in it in eight bytes. */
const DESCRIPTOR_FLAG = 0xe0;
const MAX_BLOCK_BYTES = 128 * 1024;

/** A zstd file without compression, which browsers do not have: every reader of zstd takes it. */
export function zstdFile(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.max(1, Math.ceil(content.length / MAX_BLOCK_BYTES));
  const file = new Uint8Array(13 + 3 * blocks + content.length);
  file.set([...MAGIC, DESCRIPTOR_FLAG]);
  new DataView(file.buffer).setBigUint64(5, BigInt(content.length), true);
  let place = 13;
  for (let block = 0; block < blocks; block += 1) {
    const part = content.subarray(block * MAX_BLOCK_BYTES, (block + 1) * MAX_BLOCK_BYTES);
    const head = (part.length << 3) | (block === blocks - 1 ? 1 : 0); // kind 0: as it is
    file.set([head & 0xff, (head >> 8) & 0xff, head >> 16], place);
    file.set(part, place + 3);
    place += 3 + part.length;
  }
  return file;
}

/** The record's file, as `fudaba record` reads it. */
export function recordFile(record: MatchRecord): Blob {
  return new Blob([zstdFile(toBinary(MatchRecordSchema, record))], { type: "application/octet-stream" });
}

/** The record as protobuf's JSON. */
export function recordJson(record: MatchRecord): Blob {
  return new Blob([toJsonString(MatchRecordSchema, record, { prettySpaces: 2 })], { type: "application/json" });
}

/** Has the browser save a file. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 1000);
}
