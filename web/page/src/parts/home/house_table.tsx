/** Where there is no match to show: one of house bots, which was played beforehand, game after game; and a seat at one. */
import { fromBinary } from "@bufbuild/protobuf";
import { useLocation } from "preact-iso";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import { becomeGuest, loadSession, plays, session } from "~/api/session";
import type { SeatLabel } from "~/boards";
import { type Position, StreamPositionsResponseSchema } from "~/gen/fudaba/v1/matches_pb";
import { t } from "~/i18n";
import { guestRefused } from "~/parts/guest_refused";
import { nextWithEvents } from "~/parts/home/choose_match";
import { gameName, gameOf, useGuests } from "~/parts/games";
import { useLoad } from "~/parts/load";
import { BoardView, Lead, useBoard } from "~/parts/match/board";
import { firstSettings, newMatchId, requestOf } from "~/parts/play/settings";
import { Tag } from "~/parts/tag";

/** A match as `tests/support/page/house_matches.py` writes it: with what a spectator sees, in base64. */
interface HouseMatch {
  readonly record: { readonly seats: number };
  readonly positions: string;
}

const MATCHES = import.meta.glob<HouseMatch>("./house_matches/*.json", { import: "default" });
const GAMES = Object.keys(MATCHES).map((path) => path.replace(/^.*\/|\.json$/g, ""));

const STEP_MS = 1_600;
/** How long the end stays before another game is shown. */
const REST_MS = 6_000;

async function read(game: string): Promise<{ seats: number; positions: readonly Position[] }> {
  const match = await MATCHES[`./house_matches/${game}.json`]?.();
  if (match === undefined) throw new Error(`no match of house bots is kept of ${game}`);
  const bytes = Uint8Array.from(atob(match.positions), (letter) => letter.charCodeAt(0));
  return { seats: match.record.seats, positions: fromBinary(StreamPositionsResponseSchema, bytes).positions };
}

/** `again` is asked after each game whether there is a real match by now. */
export default function HouseTable({ again }: { again: () => void }) {
  const [at, setAt] = useState(() => Math.floor(Math.random() * GAMES.length));
  const next = useCallback(() => {
    setAt((now) => (now + 1) % GAMES.length);
    again();
  }, [again]);
  const game = GAMES[at] ?? "";
  return <Shown key={game} game={game} next={next} />;
}

function Shown({ game, next }: { game: string; next: () => void }) {
  const match = useLoad(useCallback(() => read(game), [game]));
  const board = useBoard(game);
  const [at, setAt] = useState(0);
  const [moving, setMoving] = useState(() => !matchMedia("(prefers-reduced-motion: reduce)").matches);
  const there = match.state === "there" ? match.value : undefined;
  const seats = useMemo(
    () =>
      Array.from({ length: there?.seats ?? 0 }, (_, seat): SeatLabel => ({
        name: t("begin.houseBot", { number: seat + 1 }),
      })),
    [there],
  );
  const positions = there?.positions;
  useEffect(() => {
    if (positions === undefined || !moving) return undefined;
    const then = nextWithEvents(positions, at);
    const timer = setTimeout(
      () => {
        if (then >= 0) setAt(then);
        else next();
      },
      then >= 0 ? STEP_MS : REST_MS,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [positions, at, moving, next]);
  const position = positions?.[at];
  return (
    <section class="sheet live-board house-table" aria-label={t("site.boardOf", { game: gameName(game) })}>
      <p class="row apart">
        <span class="row">
          <Tag>{t("begin.exhibition")}</Tag>
          <strong>{gameName(game)}</strong>
        </span>
        <SitDown key={game} game={game} />
      </p>
      <div class="stage">
        <Lead board={board} view={position?.view} seats={seats} />
        <BoardView board={board} view={position?.view} fresh={position?.events ?? []} seats={seats} seat={null} />
      </div>
      <p class="quiet small">{t("begin.exhibitionMeans")}</p>
      <p class="row apart small">
        <a href={`/games/${game}`}>{t("site.toRules", { game: gameName(game) })}</a>
        <span class="row">
          <button
            type="button"
            class="small"
            onClick={() => {
              setMoving(!moving);
            }}
          >
            {t(moving ? "site.stop" : "site.go")}
          </button>
          <button type="button" class="small" onClick={next}>
            {t("begin.next")}
          </button>
        </span>
      </p>
    </section>
  );
}

/** One click to a seat: as who is signed in, or as a new guest. Who cannot sit down at once is led to where that is explained. */
function SitDown({ game: id }: { game: string }) {
  const { route } = useLocation();
  const guests = useGuests();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState("");
  const game = gameOf(id);
  const me = session.value;
  if (game === undefined || guests.state !== "there" || (me ? !plays(me) : !guests.value)) {
    return (
      <a class="button main" href={`/play?game=${id}`} aria-label={t("begin.sitDownAt", { game: gameName(id) })}>
        {t("begin.sitDown")}
      </a>
    );
  }
  const sit = async () => {
    setBusy(true);
    setFailed("");
    try {
      if ((await loadSession()) === null) await becomeGuest();
      const matchId = newMatchId(session.value?.bot ?? "");
      await matches.createMatch(requestOf(firstSettings(game), game, matchId));
      route(`/play?match=${encodeURIComponent(matchId)}`);
    } catch (error) {
      setBusy(false);
      setFailed(await guestRefused(error));
    }
  };
  return (
    <span class="row">
      {failed !== "" && <span role="alert">{failed}</span>}
      <button
        type="button"
        class="main"
        title={t("begin.atOnce")}
        aria-label={t("begin.sitDownAt", { game: gameName(id) })}
        aria-disabled={busy}
        onClick={() => {
          if (!busy) void sit();
        }}
      >
        {t("begin.sitDown")}
      </button>
    </span>
  );
}
