/** The fair-play report of a season: where results help an entry more than honest play explains, and where to look. */
import { useCallback, useState } from "preact/hooks";
import { arena } from "~/api/arena";
import { type FairPlayLine, FairPlayKind } from "~/gen/fudaba/v1/arena_pb";
import { language, type MessageKey, number, t } from "~/i18n";
import { gameName } from "~/parts/games";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { CommandLine } from "~/parts/organiser/command_line";

/** The sentence of each kind, and whether the results between those who gain and those who give can be annulled. */
const KINDS: Partial<Record<FairPlayKind, readonly [sentence: MessageKey, betweenPairs: boolean]>> = {
  [FairPlayKind.PAIR]: ["organiser.fairPlayPair", true],
  [FairPlayKind.ACCOUNT]: ["organiser.fairPlayAccount", true],
  [FairPlayKind.GATHERED]: ["organiser.fairPlayGathered", true],
  [FairPlayKind.FORFEITS]: ["organiser.fairPlayForfeits", true],
  [FairPlayKind.VOIDS]: ["organiser.fairPlayVoids", false],
  [FairPlayKind.WORKER]: ["organiser.fairPlayWorker", false],
  [FairPlayKind.DEALS]: ["organiser.fairPlayDeals", false],
};
const MIN_SHOWN_RATE = 1e-4;

interface Season {
  readonly ladder: string;
  readonly season: number;
  /** Whether it is the ladder's newest, in which alone entries can be disqualified. */
  readonly newest: boolean;
}

export default function FairPlay({ ladder, newest }: { ladder: string; newest: number }) {
  const [season, setSeason] = useState(newest);
  const seasons = Array.from({ length: newest }, (_, before) => newest - before);
  return (
    <section class="form" aria-label={`${t("organiser.fairPlay")} ${ladder}`}>
      <p class="quiet">{t("organiser.fairPlayIntro")}</p>
      {newest > 1 && (
        <label>
          {t("ladder.season")}
          <select
            value={season}
            onChange={(event) => {
              setSeason(Number(event.currentTarget.value));
            }}
          >
            {seasons.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      )}
      <Report ladder={ladder} season={season} newest={season === newest} />
      <CommandLine
        lines={[["fudaba", "ladder", "fairplay", ladder, ...(season === newest ? [] : ["--season", String(season)])]]}
      />
    </section>
  );
}

function Report(props: Season) {
  const { ladder, season } = props;
  const made = useLoad(
    useCallback((signal: AbortSignal) => arena.getFairPlay({ ladder, season }, { signal }), [ladder, season]),
  );
  return (
    <Shown loaded={made} why="organiser.fairPlayLong">
      {({ lines, comparisons, blocks }) => (
        <>
          <p>{t("organiser.fairPlayLooked", { comparisons, blocks })}</p>
          {lines.length === 0 ? (
            <Nothing>{t(comparisons === 0 ? "organiser.fairPlayTooLittle" : "organiser.fairPlayNone")}</Nothing>
          ) : (
            <ol class="entries">
              {lines.map((line, at) => (
                <Line key={at} line={line} {...props} />
              ))}
            </ol>
          )}
          <p class="quiet">{t("organiser.fairPlayRate")}</p>
        </>
      )}
    </Shown>
  );
}

function Line({ line, ...season }: Season & { line: FairPlayLine }) {
  const { effect, effectError, matchIds, probability } = line;
  const rate = percent(Math.max(probability, MIN_SHOWN_RATE), 2);
  return (
    <li>
      <p>
        <strong>{gameName(line.game)}</strong> {sentence(line)}
      </p>
      <p class="quiet">
        {t(probability < MIN_SHOWN_RATE ? "organiser.fairPlaySureBelow" : "organiser.fairPlaySure", { rate })}
        {effect !== undefined && effectError !== undefined && (
          <> {t("organiser.fairPlayEffect", { effect: signed(effect), error: number(effectError) })}</>
        )}
      </p>
      <details>
        <summary>{t("organiser.fairPlayMatches", { count: line.matchCount, shown: matchIds.length })}</summary>
        <ul>
          {[...matchIds].reverse().map((id) => (
            <li key={id}>
              <a href={`/matches/${encodeURIComponent(id)}`}>{id}</a>
            </li>
          ))}
        </ul>
      </details>
      <Steps line={line} {...season} />
    </li>
  );
}

/** The forms in which what a line is about can be taken back, filled in; nothing happens before the organiser decides. */
function Steps({ line, ladder, season, newest }: Season & { line: FairPlayLine }) {
  const { gaining, giving, worker, game } = line;
  const tournament = `${ladder}.${season}`;
  const pairs = KINDS[line.kind]?.[1] === true ? gaining.flatMap((bot) => giving.map((pair) => ({ bot, pair }))) : [];
  return (
    <p class="row">
      {pairs.map(({ bot, pair }) => (
        <a key={`${bot} ${pair}`} href={form("annul", { tournament, bot, pair, game })}>
          {t("organiser.fairPlayAnnulPair", { bot, pair })}
        </a>
      ))}
      {worker !== "" &&
        gaining.map((bot) => (
          <a key={bot} href={form("annul", { tournament, bot, game, worker })}>
            {t("organiser.fairPlayAnnulWorker", { bot, worker })}
          </a>
        ))}
      {newest &&
        [...gaining, ...giving].map((bot) => (
          <a key={bot} href={form("disqualify", { ladder, bot })}>
            {t("organiser.fairPlayDisqualify", { bot })}
          </a>
        ))}
    </p>
  );
}

/** The address of a form of this page with these fields filled in. */
function form(tab: string, fields: Readonly<Record<string, string>>): string {
  return `/organiser?${new URLSearchParams({ tab, ...fields }).toString()}`;
}

function sentence(line: FairPlayLine): string {
  return t(KINDS[line.kind]?.[0] ?? "organiser.fairPlayOther", {
    gaining: names(line.gaining),
    giving: names(line.giving),
    worker: line.worker || t("organiser.fairPlayArena"),
    blocks: line.blocks,
    share: percent(line.share),
    expected: percent(line.expectedShare),
  });
}

function names(bots: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: "conjunction" }).format(bots);
}

function percent(share: number, digits = 0): string {
  return `${number(share * 100, digits)} %`;
}

function signed(points: number): string {
  return `${points < 0 ? "−" : "+"}${number(Math.abs(points))}`;
}
