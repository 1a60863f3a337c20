/** Matches that are shown later than they are played: lists count down to them, screens begin them, nothing tells their end. */
import { type MessageInitShape, create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type ComponentChildren, render } from "preact";
import { ErrorBoundary, LocationProvider } from "preact-iso";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { matches } from "~/api/matches";
import {
  GetMatchResponseSchema,
  ListMatchesRequestSchema,
  ListMatchesResponseSchema,
  MatchSchema,
  MatchState,
  WatchMatchResponseSchema,
} from "~/gen/fudaba/v1/matches_pb";
import { MatchHeaderSchema } from "~/gen/fudaba/v1/record_pb";
import { LANGUAGES, loadLanguage, loadTexts, t } from "~/i18n";
import Matches from "~/pages/matches";
import Now from "~/pages/now";
import { MatchList } from "~/parts/ladder/matches";
import { chooseShown } from "~/parts/match/choose_shown";
import { resultsShown } from "~/parts/match/results";
import { spanText } from "~/parts/match/shown_later";
import { MatchView } from "~/parts/match/view";

const PATIENCE_MS = 30_000;
const realMs = performance.now.bind(performance);
const NOW_MS = Date.UTC(2026, 0, 1);
const START_MS = NOW_MS - 600_000;

let root: HTMLElement;

const match = (init: MessageInitShape<typeof MatchSchema> = {}, matchId = "m-1") =>
  create(MatchSchema, {
    state: MatchState.FINISHED,
    startTime: timestampFromMs(START_MS),
    ...init,
    header: create(MatchHeaderSchema, { matchId, game: "no-game", players: [{ bot: "ann" }, { bot: "bob" }] }),
  });
/** One that begins to be shown so much later than now. */
const premiere = (leftMs: number, matchId = "m-1") =>
  match({ hidden: true, premiere: true, showDelayMs: 600_000 + leftMs }, matchId);
const END = { outcome: { scores: [3, -3], placements: [1, 2] } };

const words = () => root.textContent;
const advance = (ms: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });

/** Waits until a text is there, while the clock stands: parts are loaded meanwhile. */
async function seen(text: string) {
  const fromMs = realMs();
  while (!words().includes(text) && realMs() < fromMs + PATIENCE_MS) {
    await act(() => new Promise((resolve) => setImmediate(resolve)));
  }
  expect(words()).toContain(text);
}

async function draw(children: ComponentChildren) {
  await act(() => {
    render(
      <LocationProvider>
        <ErrorBoundary>{children}</ErrorBoundary>
      </LocationProvider>,
      root,
    );
  });
}

/** The service lists these matches, by their states. */
function list(...found: ReturnType<typeof match>[]) {
  return vi.spyOn(matches, "listMatches").mockImplementation((request) => {
    const { state } = create(ListMatchesRequestSchema, request);
    const listed = found.filter((match) => state === MatchState.UNSPECIFIED || match.state === state);
    return Promise.resolve(create(ListMatchesResponseSchema, { matches: listed }));
  });
}

beforeEach(async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(null, { status: 204 }))); // nobody is signed in
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  await loadLanguage("en");
  await loadTexts("match", "play", "ladder", "shown");
  vi.useFakeTimers({
    now: NOW_MS,
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(async () => {
  await act(() => {
    render(null, root);
  });
  root.remove();
  resultsShown.value = false;
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it.each([
  [0, "0:00"],
  [1, "0:01"],
  [129_001, "2:10"],
  [3_600_000, "1:00:00"],
  [3_725_000, "1:02:05"],
])("a span of %i ms is %s", (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

it.each(LANGUAGES)("lists count down to what is about to be shown, and say then that it is: %s", async (language) => {
  await loadLanguage(language);
  for (const shown of [<Matches key="all" />, <MatchList key="ladder" matches={[premiere(130_000)]} caption="" />]) {
    vi.setSystemTime(NOW_MS);
    list(premiere(130_000));
    resultsShown.value = true;
    await draw(shown);
    await seen(t("shown.startsIn", { time: "2:10" }));
    await advance(200); // the clock is set up after the drawing
    await advance(10_000);
    expect(words()).toContain(t("shown.startsIn", { time: "2:00" }));
    await advance(120_000);
    expect(words()).toContain(t("shown.now"));
    expect(words()).not.toContain(t("shell.heldBack"));
  }
});

it("a match in play that is shown later says by how much, where its beginning is not known", async () => {
  list(create(MatchSchema, { ...match({ hidden: true, showDelayMs: 30_000 }), startTime: undefined }));
  await draw(<Matches />);
  await seen(t("shown.delayed", { time: "0:30" }));
});

it("a match is counted down to, begins by itself, and has a replay once its end is not hidden", async () => {
  let shown = false;
  const get = vi.spyOn(matches, "getMatch").mockImplementation(() => {
    const found = shown ? match({ end: END }) : premiere(10_000);
    return Promise.resolve(create(GetMatchResponseSchema, { match: found }));
  });
  const record = vi.spyOn(matches, "getRecord");
  const hidden = { hidden: true, premiere: true, showDelayMs: 610_000 };
  vi.spyOn(matches, "watchMatch").mockImplementation(async function* () {
    const waiting = { ...match({ ...hidden, state: MatchState.WAITING }), startTime: undefined };
    yield create(WatchMatchResponseSchema, { match: waiting });
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    yield create(WatchMatchResponseSchema, { match: match({ ...hidden, state: MatchState.PLAYING }) });
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    yield create(WatchMatchResponseSchema, { match: match({ ...hidden, end: END }) });
  });
  await draw(<MatchView matchId="m-1" />);
  await seen(t("shown.matchStartsIn", { time: "0:10" }));
  expect(words()).not.toContain(t("match.waitsForBots"));
  await advance(11_000);
  await seen(t("shown.now"));
  expect(words()).not.toContain("ann won");
  await advance(11_000);
  await seen("ann won");
  await seen(t("shown.replayLater"));
  shown = true;
  await advance(11_000);
  await seen(t("match.replay"));
  expect(words()).not.toContain(t("shown.replayLater"));
  expect([get.mock.calls.length, record.mock.calls.length]).toEqual([3, 0]);
  expect(root.querySelector(".match-ending button")?.textContent).toBe(t("match.replay"));
});

it("a screen shows first what goes on, hides what an organiser sees at once, and knows what comes next", async () => {
  const { signal } = new AbortController();
  const ofNaga = (shown: ReturnType<typeof match>) => {
    if (shown.header) shown.header.game = "naga";
    return shown;
  };
  const found = [match({}, "over"), premiere(-5_000, "shown"), premiere(90_000, "later"), premiere(30_000, "next")];
  list(...found.map(ofNaga), ofNaga(match({ hidden: true }, "held-back")));
  const choice = await chooseShown(new Set(), signal);
  expect([choice.match?.header?.matchId, choice.nextFromMs]).toEqual(["shown", NOW_MS + 30_000]);
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ signedIn: true, scope: "organiser" })));
  expect((await chooseShown(new Set(), signal)).match?.header?.matchId).toBe("over");
});

it("a screen without a match says when the next one begins, and looks then", async () => {
  const next = premiere(7_000);
  if (next.header) next.header.game = "naga";
  const listed = list(next);
  await draw(<Now />);
  await seen(t("shown.nextStartsIn", { time: "0:07" }));
  const watched = vi.spyOn(matches, "watchMatch").mockImplementation(async function* () {
    await new Promise(() => undefined);
    yield create(WatchMatchResponseSchema);
  });
  listed.mockClear();
  await advance(6_900);
  expect(listed).not.toHaveBeenCalled();
  await advance(100);
  await seen(t("shown.now"));
  expect(watched).toHaveBeenCalledWith({ matchId: "m-1", seen: 0 }, expect.anything());
});
