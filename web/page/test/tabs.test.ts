import { describe, expect, it } from "vitest";
import { base64, framesIn } from "~/api/tabs";

/** A frame as the gateway writes it. */
function frame(stream: number, kind: number, request: number[], content: number[]): number[] {
  const length = 5 + request.length + content.length;
  return [0, 0, 0, length, 0, stream, kind, 0, request.length, ...request, ...content];
}

describe("frames of a gateway's answer", () => {
  const two = Uint8Array.from([...frame(3, 0, [1, 2], [7, 8, 9]), ...frame(4, 1, [], [])]);

  it("are read with their stream, the request that goes on and the message", () => {
    const { frames, rest } = framesIn(two);
    expect(frames).toEqual([
      { stream: 3, kind: 0, request: Uint8Array.of(1, 2), content: Uint8Array.of(7, 8, 9) },
      { stream: 4, kind: 1, request: new Uint8Array(), content: new Uint8Array() },
    ]);
    expect(rest).toHaveLength(0);
  });

  it("wait for their rest, wherever they are cut", () => {
    for (let cut = 0; cut < two.length; cut += 1) {
      const first = framesIn(two.slice(0, cut));
      const second = framesIn(Uint8Array.from([...first.rest, ...two.slice(cut)]));
      expect([...first.frames, ...second.frames].map(({ stream }) => stream)).toEqual([3, 4]);
      expect(second.rest).toHaveLength(0);
    }
  });
});

describe("a request in JSON", () => {
  it("is base64 as others read it", () => {
    expect(base64(Uint8Array.of(0, 255, 16, 1))).toBe("AP8QAQ==");
  });
});
