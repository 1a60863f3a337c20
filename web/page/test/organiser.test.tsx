/** What an organiser sees: what went wrong, the tabs and their addresses, the steps to a first ladder. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { arena } from "~/api/arena";
import { catalog } from "~/api/catalog";
import { session } from "~/api/session";
import { BlockSchema, ListLaddersResponseSchema, VoidCause } from "~/gen/fudaba/v1/arena_pb";
import { ListGamesResponseSchema } from "~/gen/fudaba/v1/catalog_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import OrganiserPage from "~/pages/organiser";
import { latestFaults } from "~/parts/organiser/now";
import { until } from "./until";

describe("what went wrong", () => {
  it("is told latest first, without what the organiser wished", () => {
    const block = (number: bigint, cause: VoidCause) =>
      create(BlockSchema, { number, voidCause: cause, voidTime: timestampFromMs(Number(number) * 1000) });
    const blocks = [
      block(3n, VoidCause.NO_SHOW),
      block(5n, VoidCause.ORGANISER),
      block(9n, VoidCause.WORKER_LOST),
      block(7n, VoidCause.AWAY),
    ];
    expect(latestFaults(blocks).map((fault) => fault.number)).toEqual([9n, 7n, 3n]);
  });
});

describe("the organiser's page", () => {
  let root: HTMLElement;
  const tab = () => root.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.dataset.tab;
  const click = (selector: string) =>
    act(() => {
      root.querySelector<HTMLElement>(selector)?.click();
    });
  const ladders = (...names: string[]) => {
    const found = create(ListLaddersResponseSchema, { ladders: names.map((name) => ({ name })) });
    vi.spyOn(arena, "listLadders").mockResolvedValue(found);
  };

  beforeEach(async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new Error("nothing else is asked here")));
    vi.spyOn(catalog, "listGames").mockResolvedValue(create(ListGamesResponseSchema, { games: [{ id: "naga" }] }));
    ladders();
    const nobody = { account: "", bot: "", version: "", label: "", tokenId: "t", expireTime: null };
    session.value = { ...nobody, scope: "organiser" };
    await loadLanguage("en");
    await loadTexts("enter", "organiser", "begin", "ladder");
    history.replaceState(null, "", "/organiser?tab=ladders");
    root = document.body.appendChild(document.createElement("div"));
    await act(() => {
      render(
        <LocationProvider>
          <OrganiserPage />
        </LocationProvider>,
        root,
      );
    });
    await until(() => {
      expect(root.querySelector(".ladder-form")).not.toBeNull();
    });
  });
  afterEach(async () => {
    await act(() => {
      render(null, root);
    });
    root.remove();
    session.value = undefined;
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it("shows the tab that its address names, also where a link on it leads, and back", async () => {
    expect(tab()).toBe("ladders");
    await click('a[href="/organiser?tab=accounts"]');
    expect(tab()).toBe("accounts");
    await click("[data-tab=actions]");
    expect([tab(), location.search]).toEqual(["actions", "?tab=actions"]);
    for (const before of ["accounts", "ladders"]) {
      history.back();
      await until(() => {
        expect(tab()).toBe(before);
      });
    }
  });

  it("goes on with the steps to a first ladder once there is one", async () => {
    vi.spyOn(arena, "createLadder").mockImplementation(() => {
      ladders("open");
      return Promise.resolve({} as Awaited<ReturnType<typeof arena.createLadder>>);
    });
    await click(".first-ladder .ladder-form button.main");
    await until(() => {
      expect(root.querySelector('.entries a[href="/ladders/open"]')).not.toBeNull();
    });
    expect(root.querySelector('.first-ladder a[href="/ladders/open"]')).not.toBeNull();
    expect(root.querySelector('.first-ladder a[href="/organiser?tab=accounts"]')).not.toBeNull();
    expect(root.querySelector(".first-ladder .ladder-form")).toBeNull();
  });
});
