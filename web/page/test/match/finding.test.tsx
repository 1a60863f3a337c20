/** Which matches are shown to whom, and what stands where there is nothing to see: lists, screens, invitations. */
import { type MessageInitShape, create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type ComponentChildren, render } from "preact";
import { LocationProvider, Route, Router } from "preact-iso";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { matches } from "~/api/matches";
import {
  GetInvitationResponseSchema,
  GetMatchResponseSchema,
  ListMatchesResponseSchema,
  MatchSchema,
  MatchState,
} from "~/gen/fudaba/v1/matches_pb";
import { AbortCause, MatchHeaderSchema } from "~/gen/fudaba/v1/record_pb";
import { LANGUAGES, type Language, loadLanguage, loadTexts, t } from "~/i18n";
import Join from "~/pages/join";
import Matches from "~/pages/matches";
import { Opponents } from "~/parts/bot/opponents";
import { chooseMatch } from "~/parts/home/choose_match";
import { MatchList } from "~/parts/ladder/matches";
import { chooseShown } from "~/parts/match/choose_shown";
import { resultsShown } from "~/parts/match/results";
import { MatchView } from "~/parts/match/view";
import { until } from "../until";

let root: HTMLElement;

const match = (init: MessageInitShape<typeof MatchSchema>, header: MessageInitShape<typeof MatchHeaderSchema> = {}) =>
  create(MatchSchema, {
    ...init,
    header: create(MatchHeaderSchema, {
      matchId: "m-1",
      game: "naga",
      players: [{ bot: "ann" }, { bot: "bob" }],
      ...header,
    }),
  });
const hidden = match({ state: MatchState.PLAYING, hidden: true });

async function draw(children: ComponentChildren) {
  await act(() => {
    render(<LocationProvider>{children}</LocationProvider>, root);
  });
}

function list(...found: ReturnType<typeof match>[]) {
  vi.spyOn(matches, "listMatches").mockResolvedValue(create(ListMatchesResponseSchema, { matches: found }));
}

async function speak(language: Language) {
  await loadLanguage(language);
  await loadTexts("match", "play", "ladder", "shown");
}

beforeEach(async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(null, { status: 204 }))); // nobody is signed in
  await speak("en");
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

it("a screen for all shows no match that only an organiser may find", async () => {
  const unlisted = match({}, { matchId: "private", unlisted: true });
  list(unlisted, hidden);
  const { signal } = new AbortController();
  const shownNow = async () => (await chooseShown(new Set(), signal)).match;
  expect([await shownNow(), await chooseMatch(signal)]).toEqual([undefined, undefined]);
  list(unlisted, hidden, match({}, { matchId: "for-all" }));
  const chosen = [await shownNow(), await chooseMatch(signal)];
  expect(chosen.map((shown) => shown?.header?.matchId)).toEqual(["for-all", "for-all"]);
});

it("a list leads to a match that is held back, where it is waited for", async () => {
  list(hidden);
  for (const shown of [<MatchList key="ladder" matches={[hidden]} caption="" />, <Matches key="all" />]) {
    await draw(shown);
    await until(() => {
      expect(root.querySelector('tbody a[href="/matches/m-1"]')).not.toBeNull();
    });
    expect(root.querySelector("tbody")?.textContent).toContain("held back");
  }
});

describe("a match that is held back", () => {
  const get = vi.fn<typeof matches.getMatch>();
  const there = create(GetMatchResponseSchema, { match: hidden });
  const status = () => root.querySelector("[role=status]")?.textContent;
  const advance = (ms: number) =>
    act(async () => {
      await vi.advanceTimersByTimeAsync(ms);
    });
  const pass = async () => {
    await advance(10_000);
    await advance(0); // the answer
  };

  beforeEach(async () => {
    vi.useFakeTimers();
    get.mockReset().mockResolvedValue(there);
    vi.spyOn(matches, "getMatch").mockImplementation(get);
    await draw(<MatchView matchId="m-1" />);
    await advance(0);
    expect(status()).toContain("when its block is over");
  });

  it("is waited for also while the service cannot be reached", async () => {
    get.mockRejectedValue(new ConnectError("away", Code.Unavailable));
    await pass();
    await pass();
    expect([status(), get.mock.calls.length]).toEqual([t("match.heldBack"), 3]);
    get.mockResolvedValue(there);
    await pass();
    expect([status(), get.mock.calls.length]).toEqual([t("match.heldBack"), 4]);
  });

  it("is waited for no more when there is none", async () => {
    get.mockRejectedValue(new ConnectError("no such match", Code.NotFound));
    await pass();
    expect(root.querySelector("[role=alert]")).not.toBeNull();
  });
});

describe.each(LANGUAGES)("an invitation: %s", (language) => {
  const invite = async (state: MatchState, abortCause: AbortCause, taken: boolean) => {
    const end = abortCause === AbortCause.UNSPECIFIED ? {} : { end: { abortCause } };
    const invited = create(GetInvitationResponseSchema, { match: match({ state, ...end }), seat: 1, taken });
    vi.spyOn(matches, "getInvitation").mockResolvedValue(invited);
    await speak(language);
    history.replaceState(null, "", "/join/CODE");
    await draw(<Router>{[<Route key="join" path="/join/:code" component={Join} />]}</Router>);
    await until(() => {
      expect(root.querySelector(".play-invited")).not.toBeNull();
    });
  };

  it.each([
    [AbortCause.CALLED_OFF, "play.joinCalledOff"],
    [AbortCause.ORGANISER, "play.joinCalledOff"],
    [AbortCause.NOT_JOINED, "play.joinTooLate"],
  ] as const)("to a match that was given up says why, whatever became of the seat: %s", async (cause, key) => {
    await invite(MatchState.ABORTED, cause, true); // a service of an older release calls its seat taken
    expect(root.querySelector("[role=status]")?.textContent).toBe(t(key));
    expect(root.textContent).not.toContain(t("play.seatTaken"));
  });

  it("to a seat that somebody has says so", async () => {
    await invite(MatchState.OPEN, AbortCause.UNSPECIFIED, true);
    await until(() => {
      expect(root.querySelector("[role=status]")?.textContent).toBe(t("play.joinTaken"));
    });
  });
});

it("opponents are told without results until the reader wants to know those", async () => {
  const over = match({ state: MatchState.FINISHED, end: { outcome: { scores: [3, -3], placements: [1, 2] } } });
  await draw(<Opponents bot="ann" matches={[over]} />);
  const words = () => root.querySelector("table")?.textContent;
  expect(words()).toContain("bob");
  for (const word of [t("ladder.results"), t("ladder.won"), "%"]) expect(words()).not.toContain(word);
  await act(() => {
    resultsShown.value = true;
  });
  for (const word of [t("ladder.results"), t("ladder.won"), "100"]) expect(words()).toContain(word);
});
