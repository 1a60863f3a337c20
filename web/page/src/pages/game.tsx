/** A game: its rules, which nobody knows yet, and what can be done with it. */
import { lazy, useLocation, useRoute } from "preact-iso";
import { useCallback } from "preact/hooks";
import { catalog } from "~/api/catalog";
import type { Game as GameMessage, Option } from "~/gen/fudaba/v1/catalog_pb";
import type { OptionValue } from "~/gen/fudaba/v1/game_pb";
import { language, t } from "~/i18n";
import { hasDeal } from "~/learn/deal_files";
import { inOrder, useOptions } from "~/learn/options";
import { loadTranslatedRules } from "~/learn/rules";
import { useSentences } from "~/learn/sentences";
import { nameOfGame, wordsOfId } from "~/parts/games";
import { Loading, Shown, useLoad } from "~/parts/load";
import { resolveLink } from "~/parts/rules/links";
import { RulePage } from "~/parts/rules/page";
import { useTitle } from "~/parts/title";
import { seatsOf } from "~/pages/games";

const Lesson = lazy(() => import("~/learn/lesson"));
const Guided = lazy(() => import("~/learn/guided"));

export default function Game() {
  const { params } = useRoute();
  const { query } = useLocation();
  const id = params.game ?? "";
  const read = useLoad(useCallback((signal: AbortSignal) => catalog.getGame({ game: id }, { signal }), [id]));
  const shown = language.value;
  const page = query.page ?? `${id}.md`;
  const translated = useLoad(useCallback(() => loadTranslatedRules(page, shown), [page, shown]));
  const game = read.state === "there" ? read.value.game : undefined;
  useTitle(game === undefined ? wordsOfId(id) : nameOfGame(game), t("shell.games"));
  return (
    <>
      <p class="above">
        <a href="/games">{t("shell.games")}</a>
      </p>
      {query.deal !== undefined && hasDeal(id) && <Guided game={id} />}
      <Shown loaded={read}>
        {({ game: loaded, rules, sharedRules }) => {
          const shared = sharedRules.find((page) => page.name === query.page);
          const original = shared?.text ?? rules;
          const text = (translated.state === "there" ? translated.value : undefined) ?? original;
          if (shown !== "en" && translated.state === "loading") return <Loading />;
          const names = sharedRules.map((page) => page.name);
          return (
            <>
              {loaded !== undefined && shared !== undefined && (
                <p>
                  <a href={`/games/${id}`}>{t("site.backTo", { game: nameOfGame(loaded) })}</a>
                </p>
              )}
              {shown === "ja" && translated.state !== "loading" && text === original && (
                <p class="quiet small">{t("site.rulesLanguage")}</p>
              )}
              <RulePage
                key={`${shown} ${page}`}
                text={text}
                resolve={(to) => resolveLink(to, id, names)}
                beneath={
                  loaded !== undefined &&
                  shared === undefined && (
                    <>
                      <Facts game={loaded} />
                      <Lesson game={loaded.id} />
                    </>
                  )
                }
              />
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Facts({ game }: { game: GameMessage }) {
  const sentences = useSentences();
  const words = useOptions(game.id);
  return (
    <>
      <p class="intro">{sentences[game.id]}</p>
      <p class="row">
        <a class="button main" href={`/play?game=${game.id}`}>
          {t("site.playGame", { game: nameOfGame(game) })}
        </a>
        <a class="button" href={`/matches?game=${game.id}`}>
          {t("site.watchGame")}
        </a>
        {hasDeal(game.id) && <a href={`/games/${game.id}?deal=1`}>{t("learn.deal")}</a>}
        <a href="#minute">{t("learn.minute")}</a>
        <a href="#reference">{t("learn.reference")}</a>
        <span class="quiet">{seatsOf(game)}</span>
      </p>
      {game.options.length > 0 && (
        <details>
          <summary>{t("site.options")}</summary>
          <div class="scroll" role="region" aria-label={t("site.options")} tabIndex={0}>
            <table class="options">
              <thead>
                <tr>
                  <th scope="col">{t("site.option")}</th>
                  <th scope="col">{t("site.optionMeans")}</th>
                  <th scope="col">{t("site.optionDefault")}</th>
                  <th scope="col">{t("site.optionRange")}</th>
                </tr>
              </thead>
              <tbody>
                {inOrder(game.options, words).map((option) => (
                  <tr key={option.name}>
                    <th scope="row">
                      <code>{option.name}</code>
                    </th>
                    <td>{words.get(option.name)?.means ?? option.description}</td>
                    <td>{valueOf(option.defaultValue)}</td>
                    <td class="nowrap">{rangeOf(option)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </>
  );
}

function valueOf(value: OptionValue | undefined): string {
  if (value?.value.case === undefined) return "–";
  return typeof value.value.value === "boolean" ? (value.value.value ? "✓" : "✗") : String(value.value.value);
}

function rangeOf(option: Option): string {
  if (option.choices.length > 0) return option.choices.join(", ");
  return option.minimum === option.maximum ? "–" : `${option.minimum} – ${option.maximum}`;
}
