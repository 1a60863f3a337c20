/** The three steps to a first ladder: a form that makes it, how authors come in, and where it is watched. */
import { useState } from "preact/hooks";
import { arena } from "~/api/arena";
import { type MessageKey, t } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { OVERALL, gameName, useGames } from "~/parts/games";
import { Shown } from "~/parts/load";
import { type LadderChoices, botsOf, commandLines, definitionOf } from "~/parts/organiser/ladder_file";
import "~/parts/enter/enter.css";
import "~/parts/organiser/first_ladder.css";

const WHO: readonly ["anyone" | "organiser", MessageKey, MessageKey][] = [
  ["anyone", "begin.anyone", "begin.consequenceAnyone"],
  ["organiser", "begin.organiserOnly", "begin.consequenceOrganiser"],
];

export default function FirstLadder({ made }: { made?: () => void }) {
  const [ladder, setLadder] = useState("");
  return (
    <section class="sheet first-ladder" aria-label={t("begin.steps")}>
      <h3>{t("begin.steps")}</h3>
      <ol>
        <li>
          <strong>{t("begin.stepMake")}</strong>
          {ladder === "" ? (
            <LadderForm
              made={(name) => {
                setLadder(name);
                made?.();
              }}
            />
          ) : (
            <p role="status">{t("begin.made", { ladder })}</p>
          )}
        </li>
        <li>
          <strong>{t("begin.stepInvite")}</strong>
          <p>{t("begin.stepInviteHow")}</p>
          <Copyable text={`${location.origin}/enter`} label={t("begin.stepInvite")} />
          <p>
            <a href="/organiser?tab=accounts">{t("begin.stepInviteLink")}</a>
          </p>
        </li>
        <li>
          <strong>{t("begin.stepWatch")}</strong>
          <p>{t("begin.stepWatchHow")}</p>
          {ladder !== "" && (
            <p>
              <a class="button main" href={`/ladders/${ladder}`}>
                {t("begin.stepWatchLink", { ladder })}
              </a>
            </p>
          )}
        </li>
      </ol>
    </section>
  );
}

/** What a ladder is begun with; what follows from it, in words; and the same on the command line. */
export function LadderForm({ made }: { made: (name: string) => void }) {
  const games = useGames();
  const [chosen, setChosen] = useState<LadderChoices>({
    name: "open",
    game: "naga",
    enter: "anyone",
    namesHidden: true,
    description: "",
    bots: true,
  });
  const change = (more: Partial<LadderChoices>) => {
    setChosen((last) => ({ ...last, ...more }));
  };
  return (
    <Shown loaded={games}>
      {(listed) => {
        const definition = definitionOf(chosen, listed);
        return (
          <form
            class="form ladder-form"
            onSubmit={(event) => {
              event.preventDefault();
            }}
          >
            <label>
              {t("begin.name")}
              <input
                value={chosen.name}
                required
                pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
                title={t("begin.nameRule")}
                maxLength={39}
                spellcheck={false}
                onInput={(event) => {
                  change({ name: event.currentTarget.value });
                }}
              />
            </label>
            <label>
              {t("begin.description")}
              <textarea
                rows={2}
                maxLength={500}
                value={chosen.description}
                onInput={(event) => {
                  change({ description: event.currentTarget.value });
                }}
              />
            </label>
            <label>
              {t("begin.game")}
              <select
                value={chosen.game}
                onChange={(event) => {
                  change({ game: event.currentTarget.value });
                }}
              >
                {listed.map(({ id }) => (
                  <option key={id} value={id}>
                    {gameName(id)}
                  </option>
                ))}
                <option value={OVERALL}>{t("begin.allGames")}</option>
              </select>
            </label>
            <label>
              {t("begin.whoEnters")}
              <select
                value={chosen.enter}
                onChange={(event) => {
                  const enter = event.currentTarget.value === "anyone" ? "anyone" : "organiser";
                  change({ enter, namesHidden: enter === "anyone" });
                }}
              >
                {WHO.map(([value, name]) => (
                  <option key={value} value={value}>
                    {t(name)}
                  </option>
                ))}
              </select>
            </label>
            <label class="row">
              <input
                type="checkbox"
                checked={chosen.namesHidden}
                onChange={(event) => {
                  change({ namesHidden: event.currentTarget.checked });
                }}
              />
              {t("begin.namesHidden")}
            </label>
            <label class="row">
              <input
                type="checkbox"
                checked={chosen.bots}
                onChange={(event) => {
                  change({ bots: event.currentTarget.checked });
                }}
              />
              {t("begin.bots")}
            </label>
            <p>
              {t("begin.consequence", {
                ladder: chosen.name,
                game: chosen.game === OVERALL ? t("begin.allGames") : gameName(chosen.game),
                bots: botsOf(chosen, listed).length,
                enter: t(WHO.find(([value]) => value === chosen.enter)?.[2] ?? "begin.consequenceAnyone"),
              })}{" "}
              {t("begin.undo")}
            </p>
            <p>
              <Act
                class="main"
                submits
                act={() => arena.createLadder({ definition })}
                done={() => {
                  made(chosen.name);
                }}
              >
                {t("begin.make")}
              </Act>
            </p>
            <details>
              <summary>{t("begin.commandLine")}</summary>
              <Copyable text={commandLines(chosen.name, definition)} label={t("begin.commandLine")} />
            </details>
          </form>
        );
      }}
    </Shown>
  );
}
