/** The form that makes a match: a game, its options, who sits where, and the clock. */
import { useRef, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import type { Game, Option } from "~/gen/fudaba/v1/catalog_pb";
import { type MessageKey, t } from "~/i18n";
import { type OptionWords, inOrder, useOptions } from "~/learn/options";
import { gameName } from "~/parts/games";
import { Failed } from "~/parts/load";
import { keepCodes } from "~/parts/play/codes";
import {
  CLOCKS,
  type ClockName,
  INVITED,
  type Settings,
  firstSettings,
  newMatchId,
  opponentsFor,
  requestOf,
} from "~/parts/play/settings";

const CLOCK_NAMES: Record<ClockName, MessageKey> = {
  calm: "play.clockCalm",
  brisk: "play.clockBrisk",
  long: "play.clockLong",
};

/** The house bots in the reader's language; the catalogue describes others. */
const HOUSE_BOTS: Readonly<Record<string, MessageKey>> = {
  "house-sensible": "play.houseSensible",
  "house-random": "play.houseRandom",
  "house-first": "play.houseFirst",
};

export function NewMatch(props: {
  bot: string;
  games: readonly Game[];
  game: Game;
  /** The house bot that the reader came to play against; empty for the usual one. */
  opponent: string;
  choose: (game: string) => void;
  created: (matchId: string) => void;
}) {
  const { bot, games, game, created } = props;
  const [settings, setSettings] = useState(() => firstSettings(game, props.opponent));
  const [failed, setFailed] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const idRef = useRef("");
  const change = (more: Partial<Settings>) => {
    idRef.current = ""; // another request needs another id
    setSettings((last) => ({ ...last, ...more }));
  };
  const create = async () => {
    setBusy(true);
    setFailed(undefined);
    idRef.current ||= newMatchId(bot);
    try {
      const made = await matches.createMatch(requestOf(settings, game, idRef.current));
      keepCodes(idRef.current, made.invitationCodes);
      created(idRef.current);
    } catch (error) {
      setFailed(error);
      setBusy(false);
    }
  };
  return (
    <form
      class="play-form"
      onInput={() => {
        setFailed(undefined);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <label>
        {t("match.game")}
        <select
          value={game.id}
          onChange={(event) => {
            props.choose(event.currentTarget.value);
          }}
        >
          {games.map(({ id: each }) => (
            <option key={each} value={each}>
              {gameName(each)}
            </option>
          ))}
        </select>
      </label>
      <p>
        <a href={`/games/${game.id}`} target="_blank" rel="noopener">
          {t("match.rules")}
        </a>
      </p>
      <Table game={game} settings={settings} change={change} />
      <label>
        {t("play.time")}
        <select
          value={settings.clock}
          onChange={(event) => {
            change({ clock: event.currentTarget.value as ClockName });
          }}
        >
          {(Object.keys(CLOCKS) as ClockName[]).map((name) => (
            <option key={name} value={name}>
              {t(CLOCK_NAMES[name])}
            </option>
          ))}
        </select>
      </label>
      <Options game={game} settings={settings} change={change} />
      <button type="submit" class="main" disabled={busy}>
        {t("play.begin")}
      </button>
      <p class="quiet">{t("play.unrated")}</p>
      {failed !== undefined && <Failed error={failed} />}
    </form>
  );
}

interface Part {
  readonly game: Game;
  readonly settings: Settings;
  readonly change: (more: Partial<Settings>) => void;
}

/** How many seats, where the player sits, and who sits in the others. */
function Table({ game, settings, change }: Part) {
  const { seats, mine, opponents } = settings;
  const numbers = Array.from({ length: game.maxSeats - game.minSeats + 1 }, (_, more) => game.minSeats + more);
  return (
    <fieldset>
      <legend>{t("play.table")}</legend>
      {numbers.length > 1 && (
        <label>
          {t("play.seats")}
          <select
            value={String(seats)}
            onChange={(event) => {
              const next = Number(event.currentTarget.value);
              const others = opponentsFor(game, opponents, next);
              change({ seats: next, mine: Math.min(mine, next - 1), opponents: others });
            }}
          >
            {numbers.map((number) => (
              <option key={number} value={String(number)}>
                {number}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {t("play.mySeat")}
        <select
          value={String(mine)}
          onChange={(event) => {
            change({ mine: Number(event.currentTarget.value) });
          }}
        >
          {Array.from({ length: seats }, (_, seat) => (
            <option key={seat} value={String(seat)}>
              {t("play.seatNumber", { number: seat + 1 })}
            </option>
          ))}
        </select>
      </label>
      {opponents.map((name, place) => (
        <label key={place}>
          {t("play.opponent", { number: place < mine ? place + 1 : place + 2 })}
          <select
            value={name}
            onChange={(event) => {
              change({ opponents: opponents.with(place, event.currentTarget.value) });
            }}
          >
            {game.houseBots.map((bot) => (
              <option key={bot.name} value={bot.name} title={bot.description}>
                {bot.name}
              </option>
            ))}
            <option value={INVITED}>{t("play.friend")}</option>
          </select>
          <small class="quiet">{describe(game, name)}</small>
        </label>
      ))}
    </fieldset>
  );
}

/** What an opponent is. */
function describe(game: Game, name: string): string {
  if (name === INVITED) return t("play.friendMeans");
  const key = HOUSE_BOTS[name];
  return key === undefined ? (game.houseBots.find((bot) => bot.name === name)?.description ?? "") : t(key);
}

function Options({ game, settings, change }: Part) {
  const words = useOptions(game.id);
  if (game.options.length === 0) return null;
  return (
    <details class="play-options">
      <summary>{t("play.options")}</summary>
      {inOrder(game.options, words).map((option) => (
        <OptionField
          key={option.name}
          option={option}
          words={words.get(option.name)}
          seats={settings.seats}
          value={settings.options[option.name] ?? ""}
          change={(value) => {
            change({ options: { ...settings.options, [option.name]: value } });
          }}
        />
      ))}
    </details>
  );
}

interface Field {
  readonly option: Option;
  /** Undefined of an option that only the catalogue describes. */
  readonly words: OptionWords | undefined;
  readonly seats: number;
  readonly value: string;
  readonly change: (value: string) => void;
}

function OptionField(props: Field) {
  const { option, words } = props;
  return (
    <label class="play-option">
      <span>
        {words?.name ?? <code>{option.name}</code>}{" "}
        <span class="quiet small">{words?.means ?? option.description}</span>
      </span>
      {option.name === FIRST_DEALER ? <Dealer {...props} /> : <Value {...props} />}
    </label>
  );
}

/** The option that names a seat: a seat is counted from 1 for people. */
const FIRST_DEALER = "first_dealer";

function Dealer({ seats, value, change }: Field) {
  return (
    <select
      value={String(Number(value) % seats)}
      onChange={(event) => {
        change(event.currentTarget.value);
      }}
    >
      {Array.from({ length: seats }, (_, seat) => (
        <option key={seat} value={String(seat)}>
          {t("play.seatNumber", { number: seat + 1 })}
        </option>
      ))}
    </select>
  );
}

function Value({ option, words, value, change }: Field) {
  switch (option.defaultValue?.value.case) {
    case "number":
      return (
        <input
          type="number"
          value={value}
          min={String(option.minimum)}
          max={String(option.maximum)}
          required
          onInput={(event) => {
            change(event.currentTarget.value);
          }}
        />
      );
    case "flag":
      return (
        <input
          type="checkbox"
          checked={value === "true"}
          onChange={(event) => {
            change(String(event.currentTarget.checked));
          }}
        />
      );
    case "choice":
      return (
        <select
          value={value}
          onChange={(event) => {
            change(event.currentTarget.value);
          }}
        >
          {option.choices.map((choice) => (
            <option key={choice} value={choice}>
              {words?.choices?.[choice] ?? choice}
            </option>
          ))}
        </select>
      );
    case undefined:
      return null;
  }
}
