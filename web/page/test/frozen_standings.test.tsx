/** Frozen standings: what a ladder's page says of them, and what organisers do about them. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { arena } from "~/api/arena";
import { FreezeStandingsResponseSchema, type Tournament, TournamentSchema } from "~/gen/fudaba/v1/arena_pb";
import { loadLanguage, loadTexts, time } from "~/i18n";
import { Frozen, frozenInWords } from "~/parts/ladder/frozen";
import FrozenStandings from "~/parts/organiser/frozen_standings";
import { until } from "./until";

const SINCE = new Date("2026-12-01T11:00:00Z");
const OPENS = new Date("2026-12-02T19:00:00Z");
let root: HTMLElement;

beforeEach(async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new Error("nothing else is asked here")));
  await loadLanguage("en");
  await loadTexts("organiser", "begin", "ladder", "enter");
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

function season(frozen: boolean, opens?: Date): Tournament {
  return create(TournamentSchema, {
    name: "open.1",
    ...(frozen && { standingsFrozenTime: timestampFromDate(SINCE) }),
    ...(opens !== undefined && { standingsOpenTime: timestampFromDate(opens) }),
  });
}

async function steer(found: Tournament, over = false): Promise<void> {
  await act(() => {
    render(<FrozenStandings ladder="open" season={found} over={over} done={() => undefined} />, root);
  });
}

const labels = () => [...root.querySelectorAll("button")].map((button) => button.getAttribute("aria-label") ?? "");

describe("the page of a ladder", () => {
  it("says since when its standings are frozen and when they open, in the reader's zone", async () => {
    for (const language of ["en", "ja"] as const) {
      await loadLanguage(language);
      const words = frozenInWords(season(true, OPENS)) ?? "";
      expect(words).toContain(time(SINCE));
      expect(words).toContain(time(OPENS));
      expect(frozenInWords(season(true))).not.toContain(time(OPENS));
    }
  });

  it("says nothing where they are not frozen", async () => {
    await act(() => {
      render(<Frozen tournament={season(false)} />, root);
    });
    expect(root.textContent).toBe("");
  });
});

describe("the organisers' page", () => {
  it("freezes standings until a time that is written with its zone", async () => {
    const frozen = vi.spyOn(arena, "freezeStandings").mockResolvedValue(create(FreezeStandingsResponseSchema));
    await steer(season(false));
    expect(labels()).toContain("Freeze the standings now open");
    expect(labels()).not.toContain("Open the standings open");
    const input = root.querySelector("input");
    await act(() => {
      if (input !== null) input.value = "2026-12-02 20:00 Europe/Berlin";
      input?.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await act(() => {
      root.querySelector<HTMLButtonElement>("button.main")?.click();
    });
    await until(() => {
      expect(frozen).toHaveBeenCalledWith({
        ladder: "open",
        openTime: timestampFromDate(OPENS),
        openZone: "Europe/Berlin",
      });
    });
    expect(root.textContent).toContain("fudaba ladder freeze open --until");
  });

  it("opens frozen standings, also of a season that is over, and freezes none of that", async () => {
    await steer(season(true), true);
    expect(labels()).toContain("Open the standings open");
    await steer(season(false), true);
    expect(labels().filter((label) => label.endsWith(" open"))).toEqual([]);
  });
});
