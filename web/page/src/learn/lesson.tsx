/** A game learnt: a minute of five steps with pictures, and a reference card. */
import { useCallback, useEffect } from "preact/hooks";
import { language, t } from "~/i18n";
import { PictureCards } from "~/learn/cards";
import { type Group, type Lesson as LessonTexts, type Section, type Step, loadLesson } from "~/learn/texts";
import { type Loaded, Nothing, Shown, useLoad } from "~/parts/load";

function useLesson(game: string): Loaded<LessonTexts | undefined> {
  const shown = language.value;
  return useLoad(useCallback(() => loadLesson(game, shown), [game, shown]));
}

/** What a game's page shows above its rules. */
export default function Lesson({ game }: { game: string }) {
  const lesson = useLesson(game);
  const there = lesson.state === "there";
  useEffect(() => {
    const name = location.hash.slice(1); // the browser looked for it before it was drawn
    if (there && ["minute", "reference"].includes(name)) document.getElementById(name)?.scrollIntoView();
  }, [there]);
  return (
    <Shown loaded={lesson} isPart>
      {(value) =>
        value !== undefined && (
          <>
            <h2 id="minute">{t("learn.minute")}</h2>
            <ol class="learn-steps">
              {value.steps.map((step, at) => (
                <MinuteStep key={at} game={game} step={step} picture={value.pictures[at] ?? []} />
              ))}
            </ol>
            <h2 id="reference">{t("learn.reference")}</h2>
            <Sections sections={value.reference} />
            <h2>{t("learn.rules")}</h2>
          </>
        )
      }
    </Shown>
  );
}

/** The reference card alone, as it stands beside a board. */
export function Reference({ game }: { game: string }) {
  return (
    <Shown loaded={useLesson(game)} isPart>
      {(value) => (value === undefined ? <Nothing /> : <Sections sections={value.reference} />)}
    </Shown>
  );
}

function MinuteStep({ game, step, picture }: { game: string; step: Step; picture: readonly Group[] }) {
  return (
    <li class="sheet">
      <h3>{step.title}</h3>
      <ul class="learn-picture">
        {picture.map(({ cards, mark }, at) => (
          <li key={at} class={mark === undefined ? "" : `is-${mark}`}>
            <PictureCards game={game} cards={cards} />
            <span>{step.captions[at]}</span>
          </li>
        ))}
      </ul>
      <p>{step.text}</p>
    </li>
  );
}

function Sections({ sections }: { sections: readonly Section[] }) {
  return (
    <div class="learn-reference">
      {sections.map(({ title, rows }) => (
        <section key={title} class="sheet" aria-label={title}>
          <h3>{title}</h3>
          <dl>
            {rows.map(([word, meaning], at) => (
              <div key={at}>
                <dt>{word}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
