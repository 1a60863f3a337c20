/** A match as its player sees it: board, clock, the moves that can be made, resigning, and how it ends. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import { inWords } from "~/api/errors";
import { Chooser } from "~/boards/chooser";
import { SeatClock } from "~/boards/seats";
import type { Move } from "~/gen/fudaba/v1/game_pb";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { language, t } from "~/i18n";
import { keep, kept } from "~/kept";
import { Clock } from "~/parts/clock";
import { Copy } from "~/parts/copy";
import { gameName } from "~/parts/games";
import { useTitle } from "~/parts/title";
import { Failed, Loading } from "~/parts/load";
import { BoardView, Lead, useBoard } from "~/parts/match/board";
import { useFocusKept } from "~/parts/match/focus_kept";
import { Seats, clockWords } from "~/parts/match/heading";
import { LastDeal } from "~/parts/match/last_deal";
import { Announce, Log, useLines } from "~/parts/match/log";
import { ReferenceCard } from "~/parts/match/reference_card";
import { ending, narrated, seatLabels } from "~/parts/match/seats";
import { keptCodes } from "~/parts/play/codes";
import { Drawer, DrawerButton, useDrawn } from "~/parts/play/drawer";
import { TableSettings, useSounds } from "~/parts/play/table_settings";
import { type PlayedSeat, useOpenMatch, useSeat } from "~/parts/play/use_seat";
import "~/parts/match/match.css";
import "~/parts/play/at_table.css";

export function Playing({ matchId, again }: { matchId: string; again: (game: string) => void }) {
  const open = useOpenMatch(matchId);
  const seated = open.match !== undefined && open.match.state !== MatchState.OPEN;
  const seat = useSeat(matchId, seated);
  if (open.error !== undefined) return <Failed error={open.error} again={open.again} />;
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

const NO_MOVES: readonly Move[] = [];

function Table({ match, seat, again }: { match: Match; seat: PlayedSeat; again: (game: string) => void }) {
  const { state } = seat;
  const header = state.header ?? match.header;
  const loaded = useBoard(header?.game ?? "");
  const board = loaded.state === "there" ? loaded.value : undefined;
  const seats = useMemo(() => seatLabels(header, state.seat), [header, state.seat]);
  const lines = useLines(board, state.events, seats);
  const fresh = state.fresh === 0 ? [] : state.events.slice(-state.fresh);
  const { view, end } = state;
  const decision = end === undefined ? state.decision : undefined;
  const [atOnce, setAtOnce] = useAtOnce(decision?.required === false);
  const [drawn, setDrawn] = useDrawn();
  const placeRef = useFocusKept();
  useSounds(state.events.length, decision?.required === true ? decision.decisionId : undefined);
  const turn = decision?.required === true ? t("play.yourTurn") : "";
  const game = gameName(header?.game ?? "");
  useTitle(turn === "" ? game : t("play.titleTurn"), t("shell.matches"));
  if (header === undefined) return null;
  const over = end === undefined ? "" : ending({ ...match, end }, seats);
  const news = board === undefined ? "" : narrated(board, fresh, seats).join(" ");
  const drawer = (moves: ComponentChildren) => (
    <Drawer
      open={drawn}
      close={() => {
        setDrawn(false);
      }}
    >
      {moves}
      {end === undefined && (
        <TableSettings atOnce={atOnce} changeAtOnce={decision?.required === false ? undefined : setAtOnce} />
      )}
      {end === undefined && <Lead board={loaded} view={view} seats={seats} />}
      <ReferenceCard game={header.game} />
      <LastDeal board={board} events={state.events} seats={seats} />
      <Log lines={lines} />
      <p>
        <a href={`/games/${header.game}`} target="_blank" rel="noopener">
          {t("match.rules")}
        </a>
      </p>
      {header.clock !== undefined && <p class="quiet">{clockWords(header.clock)}</p>}
      {end === undefined && view !== undefined && <Resign matchId={header.matchId} />}
    </Drawer>
  );
  return (
    <article
      class="match at-table"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.isComposing) setDrawn(false);
      }}
    >
      <header class="table-head">
        <h1>{game}</h1>
        <State seat={seat} />
        <p class="table-news" aria-hidden="true">
          {lines.at(-1)?.text}
        </p>
        <DrawerButton open={drawn} turn={setDrawn} />
      </header>
      <div class="match-main" ref={placeRef} tabIndex={-1}>
        {view === undefined ? (
          <>
            <div class="chooser-whole">
              <Seats seats={seats} bots={[]} match={match} />
              <p>{stateWords(seat)}</p>
            </div>
            {drawer(null)}
          </>
        ) : (
          <SeatClock.Provider
            value={(seatIndex) =>
              seatIndex === state.seat && decision !== undefined ? (
                <Clock deadline={state.deadline} bankMs={decision.bankMs} />
              ) : null
            }
          >
            <Chooser
              board={board}
              view={view}
              decisionId={decision?.decisionId}
              moves={decision?.legalMoves ?? NO_MOVES}
              count={decision?.legalCount ?? 0}
              busy={decision?.required === true && seat.sending === decision.decisionId}
              atOnce={atOnce}
              canTakeBack={decision?.required === true}
              deadline={state.deadline}
              viewer={{ seat: state.seat ?? 0, seats }}
              play={({ index, move }) => {
                void seat.answer(index === undefined ? { case: "move", value: move } : { case: "index", value: index });
              }}
              say={(text) => seat.answer({ case: "text", value: text })}
              status={stateWords(seat)}
              refusal={seat.refusal}
              instead={
                end && (
                  <Over
                    end={over}
                    matchId={header.matchId}
                    again={() => {
                      again(header.game);
                    }}
                  >
                    <Seats seats={seats} bots={[]} match={{ ...match, end }} />
                  </Over>
                )
              }
              drawer={drawer}
            >
              <BoardView
                board={loaded}
                view={view}
                fresh={fresh}
                eventsSoFar={state.events}
                seats={seats}
                seat={state.seat}
              />
            </Chooser>
          </SeatClock.Provider>
        )}
      </div>
      <Announce text={[news, over || turn].filter((sentence) => sentence !== "").join(" ")} />
    </article>
  );
}

/** Whose turn it is, or what is waited for. */
function stateWords({ state, following }: PlayedSeat): string {
  if (following !== "open") return t("match.connecting");
  if (state.view === undefined) return t("match.waitsForBots");
  if (state.decision === undefined) return t("play.othersTurn");
  return t(state.decision.required ? "play.yourTurn" : "play.youMay");
}

/** What is unusual: a lost connection, time that ran out, a match that was put back. */
function State({ seat }: { seat: PlayedSeat }) {
  const { state, error, again, following } = seat;
  if (error !== undefined) return <Failed error={error} again={again} />;
  if (state.end !== undefined) return null;
  return (
    <p class="play-state">
      {following !== "open" && <strong>{t("match.connecting")}</strong>}
      {state.timedOut !== "" && <span class="play-late">{t("play.timedOut")}</span>}
      {state.rewound && <span>{t("play.rewound")}</span>}
    </p>
  );
}

/** How it ended, where the decisions were. */
function Over(props: { end: string; matchId: string; again: () => void; children: ComponentChildren }) {
  return (
    <>
      <p class="match-ending">{props.end}</p>
      {props.children}
      <div class="chooser-buttons">
        <button type="button" class="main" onClick={props.again}>
          {t("play.again")}
        </button>
        <a class="button" href={`/matches/${props.matchId}`}>
          {t("match.replay")}
        </a>
      </div>
    </>
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
    setFailed("");
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
          setFailed("");
          setSure(false);
        }}
      >
        {t("play.goOn")}
      </button>
      {failed !== "" && <span role="alert"> {failed}</span>}
    </p>
  );
}
