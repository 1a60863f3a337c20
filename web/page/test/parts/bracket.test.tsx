/** The bracket of a knockout: where its groups stand, and what each says. */
import { type MessageInitShape, create } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { describe, expect, it } from "vitest";
import {
  type Bracket,
  BracketDecision,
  type BracketGroupSchema,
  BracketSchema,
  BracketSection,
  type BracketSeatSchema,
  TournamentDefinitionSchema,
  TournamentSchema,
} from "~/gen/fudaba/v1/arena_pb";
import { LANGUAGES, loadLanguage, loadTexts } from "~/i18n";
import { load } from "~/parts/bracket/knockout";
import { type Part, partsOf } from "~/parts/bracket/layout";

type Group = MessageInitShape<typeof BracketGroupSchema>;
type Seat = MessageInitShape<typeof BracketSeatSchema>;

const { MAIN, FINAL, THIRD_PLACE, LOWER, RESET } = BracketSection;
const seed = (number: number): Seat => ({ seed: number });
const from = (fromGroup: number, fromPlace = 1): Seat => ({ fromGroup, fromPlace });

function group(round: number, section: BracketSection, seats: readonly Seat[], more: Group = {}): Group {
  return { round, section, advancing: 1, seats: [...seats], ...more };
}

const bracket = (groups: readonly Group[], more: MessageInitShape<typeof BracketSchema> = {}): Bracket =>
  create(BracketSchema, { game: "naga", rounds: 9, roundsBegun: 1, groups: [...groups], ...more });

/** Five bots, of which three have a bye, and the third place. */
const FIVE = [
  group(1, MAIN, [seed(4), seed(5)]),
  group(2, MAIN, [seed(1), from(1)]),
  group(2, MAIN, [seed(2), seed(3)]),
  group(3, FINAL, [from(2), from(3)]),
  group(3, THIRD_PLACE, [from(2, 2), from(3, 2)]),
];
/** Four bots, each of which may lose twice. */
const DOUBLE = [
  group(1, MAIN, [seed(1), seed(4)]),
  group(1, MAIN, [seed(2), seed(3)]),
  group(2, MAIN, [from(1), from(2)]),
  group(2, LOWER, [from(1, 2), from(2, 2)]),
  group(3, LOWER, [from(4), from(3, 2)]),
  group(4, FINAL, [from(3), from(5)]),
  group(5, RESET, [from(6), from(6, 2)]),
];

/** The groups by column, each as its number and rows, and the byes as their seeds and rows. */
const placed = ({ columns }: Part) =>
  columns.map(({ groups, byes }) => [
    ...groups.map(({ number, row, rows }) => `${number}: ${row}+${rows}`),
    ...byes.map(({ seat, row, rows }) => `bye ${seat.seed}: ${row}+${rows}`),
  ]);

describe("the groups of a bracket", () => {
  it("stand between those that lead to them, and byes in the rounds that are missed", () => {
    const [whole, ...others] = partsOf(bracket(FIVE));
    expect(others).toEqual([]);
    expect(whole?.rows).toBe(5);
    expect(whole === undefined ? [] : placed(whole)).toEqual([
      ["1: 1+1", "bye 1: 0+1", "bye 2: 2+1", "bye 3: 3+1"],
      ["2: 0+2", "3: 2+2"],
      ["4: 0+4", "5: 4+1"],
    ]);
    expect(whole?.lines).toContainEqual({ from: [0, 1.5], to: [1, 1] });
    expect(whole?.lines).toContainEqual({ from: [1, 3], to: [2, 2] });
  });

  it("are two brackets in a double elimination, with the finals after the upper one", () => {
    const [upper, lower] = partsOf(bracket(DOUBLE));
    expect([upper?.side, lower?.side]).toEqual(["upper", "lower"]);
    expect(upper === undefined ? [] : placed(upper)).toEqual([
      ["1: 0+1", "2: 1+1"],
      ["3: 0+2"],
      ["6: 0+2"],
      ["7: 0+2"],
    ]);
    expect(lower === undefined ? [] : placed(lower)).toEqual([["4: 0+1"], ["5: 0+1"]]);
    expect(lower?.columns.map(({ round }) => round)).toEqual([2, 3]);
  });

  it("of more seats stand below each other, without lines", () => {
    const groups = [
      group(1, MAIN, [seed(2), seed(5), seed(6)]),
      group(1, MAIN, [seed(3), seed(4), seed(7)]),
      group(2, FINAL, [seed(1), from(1), from(2)]),
    ];
    const [whole] = partsOf(bracket(groups));
    expect(whole === undefined ? [] : placed(whole)).toEqual([["1: 0+1", "2: 1+1", "bye 1: 2+1"], ["3: 0+1"]]);
    expect(whole?.lines).toEqual([]);
  });
});

async function shown(
  drawn: Bracket,
  withdrawn: readonly string[] = [],
  definition: MessageInitShape<typeof TournamentDefinitionSchema> = {},
): Promise<Element> {
  const { Knockout } = await load();
  const withdrawals = withdrawn.map((bot) => ({ bot }));
  const tournament = create(TournamentSchema, { name: "cup", withdrawals, definition });
  const root = document.createElement("div");
  await act(() => {
    render(<Knockout tournament={tournament} bracket={drawn} />, root);
  });
  return root;
}

function decided(decidedBy: BracketDecision, blocks = 2): Bracket {
  const seats = [
    { bot: "al", seed: 1, points: 1, place: 1 },
    { bot: "bea", seed: 2, points: 1, place: 2 },
  ];
  return bracket([group(1, FINAL, seats, { decidedBy, blocks })], { places: [{ rank: 1, bot: "al", seed: 1 }] });
}

async function english(): Promise<void> {
  await loadLanguage("en");
  await loadTexts("ladder");
}

describe("a bracket", () => {
  it("says which ladder seeded it, and nothing of that otherwise", async () => {
    await english();
    const seededFrom = { ladder: "open", season: 2, game: "naga" };
    const root = await shown(decided(BracketDecision.POINTS), [], { seededFrom });
    expect(root.textContent).toContain("the ladder open in Naga at the end of season 2");
    expect((await shown(decided(BracketDecision.POINTS))).textContent).not.toContain("ladder");
  });
});

describe("a group", () => {
  it("marks who goes on by a sign and in words", async () => {
    await english();
    const root = await shown(decided(BracketDecision.POINTS));
    const [winner, loser] = root.querySelectorAll(".bracket-group li");
    expect(winner?.textContent).toMatch(/al.*✓ wins/);
    expect(loser?.textContent).not.toContain("✓");
    expect(root.querySelector("[role=status]")?.textContent).toContain("Winner: al");
  });

  it.each([
    [BracketDecision.SEED, 2, "Even on points"],
    [BracketDecision.SEED, 0, "No block was played"],
    [BracketDecision.ABSENCE, 0, "Absent: bea"],
    [BracketDecision.NOT_NEEDED, 0, "Not needed"],
  ])("says why it was decided without points: %s, %s blocks", async (decidedBy, blocks, reason) => {
    await english();
    expect((await shown(decided(decidedBy, blocks))).querySelector(".bracket-group")?.textContent).toContain(reason);
  });

  it("names a bot that was withdrawn, and not one that was withdrawn after it had won", async () => {
    await english();
    const root = await shown(decided(BracketDecision.ABSENCE), ["al", "bea"]);
    expect(root.querySelector(".bracket-group")?.textContent).toContain("Withdrawn: bea");
  });

  it("marks a name that looks like another bot's", async () => {
    await english();
    const drawn = decided(BracketDecision.POINTS);
    const root = await shown({ ...drawn, places: drawn.places.map((place) => ({ ...place, looksLike: "a1" })) });
    expect(root.querySelector(".bracket-group .ahead")?.textContent).toContain("looks like a1");
  });

  it("says where its bots will come from", async () => {
    await english();
    const root = await shown(bracket(DOUBLE));
    const said = [...root.querySelectorAll(".bracket-group")].map((box) => box.textContent);
    expect(said[0]).toContain("Seed 1");
    expect(said).toContainEqual(expect.stringContaining("Winner of: Group 5"));
    expect(said).toContainEqual(expect.stringContaining("Loser of: Group 3"));
  });
});

it.each(LANGUAGES)("each round is a list with a heading: %s", async (language) => {
  await loadLanguage(language);
  await loadTexts("ladder");
  const root = await shown(bracket(FIVE));
  const rounds = [...root.querySelectorAll(".bracket-round")];
  expect(rounds.map((round) => round.querySelectorAll("ol > li").length)).toEqual([4, 2, 2]);
  const headings = rounds.map((round) => root.querySelector(`#${round.getAttribute("aria-labelledby") ?? ""}`));
  expect(headings.map((heading) => heading?.tagName)).toEqual(["H3", "H3", "H3"]);
  expect(root.textContent).not.toContain("bracket.");
});
