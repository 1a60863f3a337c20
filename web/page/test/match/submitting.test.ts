import { afterEach, expect, test, vi } from "vitest";
import { matches } from "~/api/matches";
import { submitted } from "~/parts/play/use_seat";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a move arrives though the page is left while it is sent; nothing else outlives the page", async () => {
  const lasting: [string | undefined, boolean][] = [];
  vi.stubGlobal("fetch", (url: string, init?: RequestInit) => {
    lasting.push([url.split("/").at(-1), init?.keepalive === true]);
    return Promise.resolve(new Response(null, { headers: { "content-type": "application/proto" } }));
  });
  expect(await submitted("m", "d1", { case: "index", value: 1 })).toBe("");
  await matches.resignMatch({ matchId: "m" });
  expect(lasting).toEqual([
    ["SubmitMove", true],
    ["ResignMatch", false],
  ]);
});
