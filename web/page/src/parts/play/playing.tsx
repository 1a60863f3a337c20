/** A match as its player sees it: board, clock, the moves that can be made, resigning, and how it ends. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import { inWords } from "~/api/errors";
import { Bar, Chooser } from "~/boards/chooser";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { language, t } from "~/i18n";
import { keep, kept } from "~/kept";
import { Clock } from "~/parts/clock";
import { Copy } from "~/parts/copy";
import { Failed, Loading } from "~/parts/load";
import { BoardView, Lead, useBoard } from "~/parts/match/board";
import { Heading, Seats } from "~/parts/match/heading";
import { LastDeal } from "~/parts/match/last_deal";
import { Announce, Log, useLines } from "~/parts/match/log";
import { ending, narrated, seatLabels } from "~/parts/match/seats";
import { keptCodes } from "~/parts/play/codes";
import { type PlayedSeat, useOpenMatch, useSeat } from "~/parts/play/use_seat";
import "~/parts/match/match.css";

export function Playing({ matchId, again }: { matchId: string; again: (game: string) => void }) {
  const open = useOpenMatch(matchId);
  const seated = open.match !== undefined && open.match.state !== MatchState.OPEN;
  const seat = useSeat(matchId, seated);
  if (open.error !== undefined) return <Failed error={open.error} />;
  if (open.match === undefined) return <Loading />;
  if (!seated) return <Invitations match={open.match} />;
  // Who sits where is told in the reader's language.
  return <Table key={language.value} match={open.match} seat={seat} again={again} />;
}

/** The links for those who are invited, while they are waited for. */
function Invitations({ match }: { match: Match }) {
  const codes = keptCodes(match.header?.matchId ?? "");
  return (
    <section class="play-invitations">
      <h1>{t("play.waitingForFriends")}</h1>
      <p>{t("play.invite")}</p>
      <ul>
        {codes.map(({ seat, code }) => {
          const link = `${location.origin}/join/${code}`;
          const taken = match.seats[seat]?.to.case === "bot";
          return (
            <li key={seat}>
              {t("play.seatNumber", { number: seat + 1 })}:{" "}
              {taken ? t("play.taken") : <input readOnly value={link} size={link.length} aria-label={t("play.link")} />}
              {!taken && <Copy label={t("play.copy")} text={() => link} />}
            </li>
          );
        })}
      </ul>
      <p role="status">{t("play.waitsForSeats")}</p>
    </section>
  );
}

/** Whoever plays at once should not have to confirm; the choice is remembered. */
function useAtOnce(standing: boolean): [boolean, (atOnce: boolean) => void] {
  const [chosen, setChosen] = useState(() => kept("browser", "play-at-once"));
  return [
    standing || chosen === "true",
    (atOnce) => {
      keep("browser", "play-at-once", String(atOnce));
      setChosen(String(atOnce));
    },
  ];
}

/**
 * A place to which the focus comes back that was in it: with a move its piece or button goes, and whoever plays by keys
 * would have to begin at the top of the page again.
 */
function useFocusKept(): RefObject<HTMLDivElement | null> {
  const placeRef = useRef<HTMLDivElement>(null);
  const withinRef = useRef(false);
  useEffect(() => {
    const note = ({ target }: Event) => {
      withinRef.current = target instanceof Node && placeRef.current?.contains(target) === true;
    };
    document.addEventListener("focusin", note);
    document.addEventListener("pointerdown", note);
    return () => {
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", note);
    };
  }, []);
  useEffect(() => {
    if (withinRef.current && document.activeElement === document.body) placeRef.current?.focus({ preventScroll: true });
  });
  return placeRef;
}

function Table({ match, seat, again }: { match: Match; seat: PlayedSeat; again: (game: string) => void }) {
  const { told } = seat;
  const header = told.header ?? match.header;
  const loaded = useBoard(header?.game ?? "");
  const board = loaded.state === "there" ? loaded.value : undefined;
  const seats = useMemo(() => seatLabels(header, told.seat), [header, told.seat]);
  const lines = useLines(board, told.events, seats);
  const fresh = told.fresh === 0 ? [] : told.events.slice(-told.fresh);
  const { decision, view, end } = told;
  const [atOnce, setAtOnce] = useAtOnce(decision?.required === false);
  const placeRef = useFocusKept();
  if (header === undefined) return null;
  const shown = (
    <BoardView board={loaded} view={view} fresh={fresh} told={told.events} seats={seats} seat={told.seat} />
  );
  const before = <LastDeal board={board} events={told.events} seats={seats} />;
  const over = end === undefined ? "" : ending({ ...match, end }, seats);
  const turn = decision?.required === true ? t("play.yourTurn") : "";
  const news = board === undefined ? "" : narrated(board, fresh, seats).join(" ");
  return (
    <article class="match">
      <Heading
        header={header}
        match={undefined}
        {...(turn !== "" && end === undefined && { title: t("play.titleTurn") })}
      />
      <Seats seats={seats} bots={[]} match={{ ...match, ...(end && { end }) }} notes={notes(seat)} />
      <State seat={seat} />
      {end !== undefined && (
        <Over
          end={over}
          matchId={header.matchId}
          again={() => {
            again(header.game);
          }}
        />
      )}
      <div class="match-stage">
        <div class="match-main" ref={placeRef} tabIndex={-1}>
          {end === undefined && <Lead board={loaded} view={view} seats={seats} />}
          {decision === undefined || view === undefined || end !== undefined ? (
            <div class="chooser-whole">
              {shown}
              {before}
              {end === undefined && view !== undefined && (
                <Bar>
                  <p>{stateWords(seat)}</p>
                </Bar>
              )}
            </div>
          ) : (
            <>
              <Chooser
                board={board}
                view={view}
                moves={decision.legalMoves}
                count={decision.legalCount}
                busy={decision.required && seat.sending === decision.decisionId}
                atOnce={atOnce}
                who={{ seat: told.seat ?? 0, seats }}
                play={({ index, move }) => {
                  void seat.answer(
                    index === undefined ? { case: "move", value: move } : { case: "index", value: index },
                  );
                }}
                say={(text) => seat.answer({ case: "text", value: text })}
                status={stateWords(seat)}
              >
                {shown}
                {before}
              </Chooser>
              {decision.required && <AtOnce value={atOnce} change={setAtOnce} />}
            </>
          )}
          {seat.refusal !== "" && (
            <p class="play-refusal" role="alert">
              {seat.refusal}
            </p>
          )}
          {end === undefined && view !== undefined && <Resign matchId={header.matchId} />}
        </div>
        <Log lines={lines} />
      </div>
      <Announce text={[news, over || turn].filter((one) => one !== "").join(" ")} />
    </article>
  );
}

function notes({ told }: PlayedSeat) {
  if (told.seat === null || told.end !== undefined) return [];
  const own = { deciding: told.decision !== undefined }; // the clock below says what is left of the reserve, too
  return Array.from({ length: told.seat + 1 }, (_, seat) => (seat === told.seat ? own : {}));
}

/** Whose turn it is, or what is waited for. */
function stateWords({ told, following }: PlayedSeat): string {
  if (following !== "open") return t("match.connecting");
  if (told.view === undefined) return t("match.waitsForBots");
  if (told.decision === undefined) return t("play.othersTurn");
  return t(told.decision.required ? "play.yourTurn" : "play.youMay");
}

/** The clock of the open decision, or what is waited for. */
function State({ seat }: { seat: PlayedSeat }) {
  const { told, error } = seat;
  if (error !== undefined) return <Failed error={error} />;
  if (told.end !== undefined) return null;
  return (
    <p class="play-state">
      <strong>{stateWords(seat)}</strong>
      {told.decision !== undefined && <Clock deadline={told.deadline} bankMs={told.decision.bankMs} />}
      {told.timedOut !== "" && <span class="play-late">{t("play.timedOut")}</span>}
      {told.rewound && <span>{t("play.rewound")}</span>}
    </p>
  );
}

function AtOnce({ value, change }: { value: boolean; change: (value: boolean) => void }) {
  return (
    <label class="play-at-once">
      <input
        type="checkbox"
        checked={value}
        onChange={(event) => {
          change(event.currentTarget.checked);
        }}
      />{" "}
      {t("play.atOnce")}
    </label>
  );
}

/** How it ended. Whoever has played the last card is further down, and is brought here. */
function Over(props: { end: string; matchId: string; again: () => void }): ComponentChildren {
  const placeRef = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    placeRef.current?.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
  }, []);
  return (
    <p class="match-ending" ref={placeRef}>
      {props.end}{" "}
      <button type="button" class="main" onClick={props.again}>
        {t("play.again")}
      </button>{" "}
      <a href={`/matches/${props.matchId}`}>{t("match.replay")}</a>
    </p>
  );
}

/** Giving up takes two steps, so that nobody does by a slip. */
function Resign({ matchId }: { matchId: string }) {
  const [sure, setSure] = useState(false);
  const [failed, setFailed] = useState("");
  if (!sure) {
    return (
      <button
        type="button"
        class="play-resign"
        onClick={() => {
          setSure(true);
        }}
      >
        {t("play.resign")}
      </button>
    );
  }
  const resign = () => {
    matches.resignMatch({ matchId }).catch((error: unknown) => {
      setFailed(inWords(error));
    });
  };
  return (
    <p class="play-resign" role="group" aria-label={t("play.resign")}>
      {t("play.reallyResign")}{" "}
      <button type="button" onClick={resign}>
        {t("play.resign")}
      </button>{" "}
      <button
        type="button"
        onClick={() => {
          setSure(false);
        }}
      >
        {t("play.goOn")}
      </button>
      {failed !== "" && <span role="alert"> {failed}</span>}
    </p>
  );
}
