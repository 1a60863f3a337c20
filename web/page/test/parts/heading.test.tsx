/** What stands above a ladder and a match says how their clock treats the network. */
import { create } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeAll, expect, test } from "vitest";
import { LadderSchema, Sittings, TournamentSchema } from "~/gen/fudaba/v1/arena_pb";
import { ClockSchema } from "~/gen/fudaba/v1/record_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import { Progress } from "~/parts/ladder/heading";
import { clockWords } from "~/parts/match/heading";

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("ladder", "match");
});

test.each([false, true])("a ladder says where its clock credits nothing for the network: %s", async (without) => {
  const tournament = create(TournamentSchema, { definition: { clock: { noNetworkCredit: without } } });
  const root = document.createElement("div");
  await act(() => {
    render(<Progress tournament={tournament} />, root);
  });
  expect([...root.querySelectorAll("dd")].some((element) => element.textContent === "no credit")).toBe(without);
});

test.each([
  [Sittings.APART, false],
  [Sittings.FRESH, true],
])("a ladder says where no deal is played twice: %s", async (sittings, fresh) => {
  const tournament = create(TournamentSchema, { definition: { sittings } });
  const root = document.createElement("div");
  await act(() => {
    render(<Progress tournament={tournament} />, root);
  });
  expect([...root.querySelectorAll("dd")].some((element) => element.textContent === "each played once")).toBe(fresh);
});

test.each([
  [[{ name: "cores", value: 2 }], false],
  [[{ name: "cores_per_seat", value: 0 }], false],
  [[{ name: "cores_per_seat", value: 1 }], true],
])("a ladder says how many cores a seat has to itself: %j", async (limits, shown) => {
  const tournament = create(TournamentSchema, { definition: { limits } });
  const root = document.createElement("div");
  await act(() => {
    render(<Progress tournament={tournament} />, root);
  });
  expect([...root.querySelectorAll("dt")].some((element) => element.textContent.includes("Cores per seat"))).toBe(
    shown,
  );
});

test.each([
  [[], undefined],
  [[{ mode: "remote" }], "remote, run by authors"],
  [
    [
      { mode: "bubblewrap", version: "0.8.0", workers: 2 },
      { mode: "pods", version: "gvisor", workers: 1 },
    ],
    "bubblewrap, worker as root (0.8.0) · pods (gvisor)",
  ],
  [
    [
      { mode: "", workers: 1 },
      { mode: "unsafe", workers: 1 },
    ],
    "not told · none (unsafe)",
  ],
  [[{ mode: "of-a-later-release" }], "of-a-later-release"],
  [
    [
      { mode: "pods", notEnforced: ["cpu", "ponder"], enforcementTold: true },
      { mode: "bubblewrap", version: "0.8.0", notEnforced: ["ponder"] },
    ],
    "pods – not enforced, since it cannot be there: cpu, ponder · " +
      "bubblewrap, worker as root (0.8.0) – not enforced, as far as its workers tell: ponder",
  ],
])("a ladder says in what bots run that strangers entered: %j", async (isolations, isolation) => {
  const ladder = create(LadderSchema, { isolations });
  const root = document.createElement("div");
  await act(() => {
    render(<Progress tournament={create(TournamentSchema, {})} ladder={ladder} />, root);
  });
  const said = [...root.querySelectorAll(".facts > div")].find((fact) => fact.textContent.startsWith("Isolation"));
  expect(said?.querySelector("dd")?.textContent).toBe(isolation);
});

test.each([
  [[], false],
  [[{ name: "ponder", value: 1 }], false],
  [[{ name: "ponder", value: 0 }], true],
])("a ladder says where bots stand still while they owe nothing: %j", async (limits, shown) => {
  const tournament = create(TournamentSchema, { definition: { limits } });
  const root = document.createElement("div");
  await act(() => {
    render(<Progress tournament={tournament} />, root);
  });
  expect([...root.querySelectorAll("dt")].some((element) => element.textContent.includes("Pondering"))).toBe(shown);
});

test("so does a match", () => {
  const clock = { moveMs: 10_000 };
  expect(clockWords(create(ClockSchema, clock))).toBe("10 s a move");
  const words = clockWords(create(ClockSchema, { ...clock, noNetworkCredit: true }));
  expect(words).toBe("10 s a move, nothing credited for the network");
});
