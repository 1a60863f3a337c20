/** The fair-play report of a ladder: each kind of line in words, and what a late or a failed report says. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { arena } from "~/api/arena";
import { deadlinesOf } from "~/api/deadlines";
import {
  type FairPlayLine,
  FairPlayKind,
  FairPlayLineSchema,
  GetFairPlayResponseSchema,
} from "~/gen/fudaba/v1/arena_pb";
import { type Language, loadLanguage, loadTexts } from "~/i18n";
import FairPlay from "~/parts/organiser/fair_play";
import { until } from "./until";

let root: HTMLElement;

beforeEach(async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new Error("nothing else is asked here")));
  await loadLanguage("en");
  await loadTexts("organiser", "begin", "ladder");
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(async () => {
  await act(() => {
    render(null, root);
  });
  root.remove();
  await loadLanguage("en");
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function line(kind: FairPlayKind, worker = ""): FairPlayLine {
  return create(FairPlayLineSchema, {
    kind,
    worker,
    game: "naga",
    gaining: ["ada"],
    giving: worker === "" ? ["bob", "carol"] : [],
    blocks: 9,
    share: 0.91,
    expectedShare: 0.48,
    effect: -402,
    effectError: 120,
    probability: 0.0312,
    matchIds: ["t-b0-a", "t-b1-a"],
    matchCount: 18,
  });
}

/** Shows a report, once it is there. */
async function report(lines: FairPlayLine[], season = 1, comparisons = 12): Promise<string> {
  const found = create(GetFairPlayResponseSchema, { season, lines, comparisons, blocks: 34 });
  vi.spyOn(arena, "getFairPlay").mockResolvedValue(found);
  await act(() => {
    render(<FairPlay ladder="open" newest={2} />, root);
  });
  await until(() => {
    expect(root.textContent).toContain("34");
  });
  return root.textContent;
}

const links = () => [...root.querySelectorAll("a")].map((link) => link.getAttribute("href"));

describe("a fair-play report", () => {
  const kinds = Object.values(FairPlayKind)
    .filter((kind): kind is FairPlayKind => typeof kind === "number")
    .slice(1);
  const languages: Language[] = ["en", "ja"];

  it.each(languages.flatMap((shown) => kinds.map((kind) => ({ shown, kind }))))(
    "says in $shown who gains by a line of kind $kind",
    async ({ shown, kind }) => {
      await loadLanguage(shown);
      await report([line(kind, FairPlayKind[kind] === "WORKER" ? "east" : "")]);
      const text = root.querySelector("li > p")?.textContent ?? "";
      for (const part of ["ada", "91 %", "48 %"]) expect(text).toContain(part);
      expect(root.textContent).toContain("3.12 %");
      expect(root.textContent).not.toMatch(/[{}]|organiser\./);
    },
  );

  it("says how sure a line is, by how much, and links its newest matches first", async () => {
    expect(await report([line(FairPlayKind.PAIR)])).toContain(
      "False-discovery rate: 3.12 %. Difference: −402 ± 120 Elo.",
    );
    expect(links().slice(0, 2)).toEqual(["/matches/t-b1-a", "/matches/t-b0-a"]);
    expect(root.textContent).toContain("Matches: 18; the newest 2");
  });

  it("links the forms that take back what it names", async () => {
    await report([line(FairPlayKind.GATHERED)]);
    expect(links().slice(2)).toEqual([
      "/organiser?tab=annul&tournament=open.2&bot=ada&pair=bob&game=naga",
      "/organiser?tab=annul&tournament=open.2&bot=ada&pair=carol&game=naga",
      "/organiser?tab=disqualify&ladder=open&bot=ada",
      "/organiser?tab=disqualify&ladder=open&bot=bob",
      "/organiser?tab=disqualify&ladder=open&bot=carol",
    ]);
  });

  it("annuls nothing between bots that did not meet, and by worker where a machine is named", async () => {
    await report([line(FairPlayKind.DEALS), line(FairPlayKind.WORKER, "east")]);
    const annulling = links().filter((href) => href?.includes("tab=annul") === true);
    expect(annulling).toEqual(["/organiser?tab=annul&tournament=open.2&bot=ada&game=naga&worker=east"]);
  });

  it("tells a kind of a later release, nothing that stands out, and too little to compare", async () => {
    expect(await report([{ ...line(FairPlayKind.PAIR), kind: FairPlayKind.UNSPECIFIED }])).toContain("later release");
    await act(() => {
      render(null, root);
    });
    expect(await report([])).toContain("Nothing stands out.");
    await act(() => {
      render(null, root);
    });
    expect(await report([], 1, 0)).toContain("Too little was played");
  });

  it("is asked for another season, where nobody can be disqualified any more", async () => {
    await report([line(FairPlayKind.PAIR)]);
    await act(() => {
      const select = root.querySelector("select");
      if (select === null) throw new Error("there is no choice of seasons");
      select.value = "1";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await until(() => {
      expect(links()).toContain("/organiser?tab=annul&tournament=open.1&bot=ada&pair=bob&game=naga");
    });
    expect(vi.mocked(arena.getFairPlay).mock.lastCall?.[0]).toEqual({ ladder: "open", season: 1 });
    expect(links().filter((href) => href?.includes("disqualify") === true)).toEqual([]);
  });

  it("is waited for as long as it takes, and asked for once", () => {
    expect(deadlinesOf("GetFairPlay")).toEqual([600_000]);
  });

  it("that failed says why, and can be asked for again", async () => {
    vi.spyOn(arena, "getFairPlay").mockRejectedValueOnce(new ConnectError("start the arena", Code.Unavailable));
    await act(() => {
      render(<FairPlay ladder="open" newest={1} />, root);
    });
    await until(() => {
      expect(root.querySelector("[role=alert]")?.textContent).toContain("start the arena");
    });
    vi.mocked(arena.getFairPlay).mockResolvedValue(create(GetFairPlayResponseSchema, { blocks: 34 }));
    await act(() => {
      root.querySelector<HTMLElement>("[role=alert] button")?.click();
    });
    await until(() => {
      expect(root.textContent).toContain("Too little was played");
    });
  });
});
