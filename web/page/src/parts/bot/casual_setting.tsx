/** For the author of a bot: the games in which players may sit down against it, and how many at once. */
import { useCallback, useState } from "preact/hooks";
import { bots } from "~/api/bots";
import { reasonOf } from "~/api/reasons";
import type { Bot } from "~/gen/fudaba/v1/bots_pb";
import { t } from "~/i18n";
import { nameOfGame, useGames } from "~/parts/games";
import { Failed, Shown, useLoad } from "~/parts/load";

const MAX_MATCHES = 20;

/** Draws nothing for who is not the bot's author. */
export function CasualSetting({ bot, changed }: { bot: string; changed: () => void }) {
  const read = useLoad(useCallback((signal: AbortSignal) => own(bot, signal), [bot]));
  return <Shown loaded={read}>{(found) => found && <Form key={bot} bot={found} changed={changed} />}</Shown>;
}

async function own(bot: string, signal: AbortSignal): Promise<Bot | undefined> {
  try {
    return (await bots.getBot({ bot }, { signal })).bot;
  } catch (error) {
    if (reasonOf(error) === "NOT_YOURS" || reasonOf(error) === "BOT_NOT_FOUND") return undefined;
    throw error;
  }
}

function Form({ bot, changed }: { bot: Bot; changed: () => void }) {
  const { name } = bot;
  const games = useGames();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(bot.casualPlay?.games));
  const [most, setMost] = useState(bot.casualPlay?.maxMatches ?? 1);
  const [saved, setSaved] = useState("");
  const [failed, setFailed] = useState<unknown>();
  const save = async (allowed: ReadonlySet<string>) => {
    setFailed(undefined);
    try {
      const casualPlay = allowed.size === 0 ? undefined : { games: [...allowed], maxMatches: most };
      await bots.setCasualPlay({ bot: name, ...(casualPlay && { casualPlay }) });
      setChosen(allowed);
      setSaved(t(allowed.size === 0 ? "casual.savedNone" : "casual.savedGames", { bot: name }));
      changed();
    } catch (error) {
      setFailed(error);
    }
  };
  return (
    <form
      class="sheet stack"
      onInput={() => {
        setFailed(undefined);
        setSaved("");
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void save(chosen);
      }}
    >
      <fieldset>
        <legend>{t("casual.setting")}</legend>
        <p class="quiet small">{t("casual.settingMeans")}</p>
        <Shown loaded={games}>
          {(all) => (
            <p class="row">
              {all.map((game) => (
                <label key={game.id}>
                  <input
                    type="checkbox"
                    checked={chosen.has(game.id)}
                    onChange={(event) => {
                      const next = new Set(chosen);
                      if (event.currentTarget.checked) next.add(game.id);
                      else next.delete(game.id);
                      setChosen(next);
                    }}
                  />{" "}
                  {nameOfGame(game)}
                </label>
              ))}
            </p>
          )}
        </Shown>
        <label>
          {t("casual.atOnce")}{" "}
          <input
            type="number"
            min={1}
            max={MAX_MATCHES}
            required
            value={most}
            onInput={(event) => {
              setMost(event.currentTarget.valueAsNumber || 1);
            }}
          />
        </label>
      </fieldset>
      <p class="row">
        <button type="submit" class="main" disabled={chosen.size === 0}>
          {t("casual.save")}
        </button>
        <button
          type="button"
          onClick={() => {
            void save(new Set());
          }}
        >
          {t("casual.off")}
        </button>
      </p>
      {saved !== "" && <p role="status">{saved}</p>}
      {failed !== undefined && <Failed error={failed} />}
    </form>
  );
}
