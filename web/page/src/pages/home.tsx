/** The start page: what this is, a board that moves, who leads, how to enter. What moves is loaded after what is read. */
import { lazy } from "preact-iso";
import { t } from "~/i18n";
import { useTitle } from "~/parts/title";
import "~/parts/home/home.css";

const LiveBoard = lazy(() => import("~/parts/home/live_board"));
const FirstLines = lazy(() => import("~/parts/home/first_lines"));
const Tops = lazy(() => import("~/parts/home/top"));

export default function Home() {
  useTitle();
  return (
    <>
      <div class="welcome">
        <h1>{t("site.title")}</h1>
        <p class="intro">{t("site.intro")}</p>
        <p class="row">
          <a class="button main" href="/play">
            {t("site.play")}
          </a>
          <a class="button" href="/matches">
            {t("site.watch")}
          </a>
          <a class="button" href="/enter">
            {t("shell.enter")}
          </a>
        </p>
      </div>
      <div class="home">
        <div class="now">
          <h2>{t("site.now")}</h2>
          <LiveBoard />
        </div>
        <div>
          <h2>{t("shell.ladders")}</h2>
          <Tops />
        </div>
      </div>
      <section class="enter-lines">
        <h2>{t("site.enterTitle")}</h2>
        <p>{t("site.enterHow")}</p>
        <FirstLines />
        <p>
          <a href="/enter">{t("site.enterMore")}</a>
        </p>
      </section>
    </>
  );
}
