/** A challenge: the reader's own bot plays another, unrated. A part of its own, loaded when somebody wants to. */
import { Code, ConnectError } from "@connectrpc/connect";
import { useState } from "preact/hooks";
import { arena } from "~/api/arena";
import type { Challenge, Ladder } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { waitInWords } from "~/parts/bot/challenge_wait";
import { gameName } from "~/parts/games";
import { percent } from "~/parts/ladder/standings";
import { Failed } from "~/parts/load";
import { Term } from "~/parts/term";

const MAX_BLOCKS = 100;

export default function ChallengeForm({ bot, ladders }: { bot: string; ladders: readonly Ladder[] }) {
  const [ladder, setLadder] = useState(ladders[0]?.name ?? "");
  const games = ladders.find((candidate) => candidate.name === ladder)?.tournament?.definition?.games ?? [];
  const [game, setGame] = useState("");
  const [own, setOwn] = useState("");
  const [blocks, setBlocks] = useState(5);
  const [error, setError] = useState<unknown>();
  const [made, setMade] = useState<Challenge>();
  const chosen = games.some((played) => played.game === game) ? game : (games[0]?.game ?? "");
  const send = async () => {
    setError(undefined);
    try {
      const request = { bot, withBot: own.trim(), ladder, game: chosen, blocks };
      setMade((await arena.createChallenge(request)).challenge);
    } catch (refused) {
      setError(refused);
    }
  };
  return (
    <form
      class="sheet stack challenge"
      onInput={() => {
        setError(undefined);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p>
        <Term word={t("ladder.challenge")} means="ladder.challengeMeans" />: {t("ladder.challengeHow", { bot })}
      </p>
      <div class="row">
        {ladders.length > 1 && (
          <Select label={t("ladder.ladder")} value={ladder} choose={setLadder} choices={ladders.map(named)} />
        )}
        <Select
          label={t("ladder.game")}
          value={chosen}
          choose={setGame}
          choices={games.map((played) => [played.game, gameName(played.game)])}
        />
        <label class="field">
          {t("ladder.ownBot")}
          <input
            value={own}
            placeholder={t("ladder.ownBotHint")}
            pattern="[a-z][a-z0-9\-]*"
            onInput={(event) => {
              setOwn(event.currentTarget.value);
            }}
          />
        </label>
        <label class="field">
          {t("ladder.blocks")}
          <input
            type="number"
            min={1}
            max={MAX_BLOCKS}
            value={blocks}
            onInput={(event) => {
              setBlocks(event.currentTarget.valueAsNumber || 1);
            }}
          />
        </label>
        <button type="submit" class="main">
          {t("ladder.challenge")}
        </button>
      </div>
      {error !== undefined && <Refused error={error} />}
      {made !== undefined && <Made challenge={made} />}
    </form>
  );
}

function named(ladder: Ladder): [string, string] {
  return [ladder.name, ladder.name];
}

function Select(props: {
  label: string;
  value: string;
  choose: (value: string) => void;
  choices: readonly (readonly [string, string])[];
}) {
  return (
    <label class="field">
      {props.label}
      <select
        value={props.value}
        onChange={(event) => {
          props.choose(event.currentTarget.value);
        }}
      >
        {props.choices.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Refused({ error }: { error: unknown }) {
  if (ConnectError.from(error).code !== Code.Unauthenticated) return <Failed error={error} />;
  return (
    <p class="notice warn" role="alert">
      {t("ladder.challengeSignIn")} <a href="/account">{t("shell.signIn")}</a>
    </p>
  );
}

function Made({ challenge }: { challenge: Challenge }) {
  const { challenger } = challenge;
  return (
    <p class="notice good" role="status">
      {t("ladder.challengeMade", {
        bot: challenger?.bot ?? "",
        blocks: challenge.blocks,
        matches: challenge.matchesPlanned,
      })}{" "}
      {waitInWords(challenge)}{" "}
      {challenger?.share !== undefined && t("ladder.challengeShare", { share: percent(challenger.share.value) })}{" "}
      <a href={`/matches?label=${encodeURIComponent(challenge.label)}`}>{t("ladder.challengeMatches")}</a>
    </p>
  );
}
