/** What every page has around it, and which page a path shows. */
import type { ComponentType } from "preact";
import { ErrorBoundary, LocationProvider, Route, Router, lazy } from "preact-iso";
import { Footer, Header } from "~/parts/shell";
import { loadTexts, t } from "~/i18n";

/** A page, loaded with the files of the catalogue that it needs beyond the first view's. */
function page<P>(load: () => Promise<{ default: ComponentType<P> }>, ...texts: string[]) {
  return lazy(async () => (await Promise.all([load(), loadTexts(...texts)]))[0]);
}

const Home = page(() => import("~/pages/home"));
const Ladders = page(() => import("~/pages/ladders"), "ladder");
const Ladder = page(() => import("~/pages/ladder"), "ladder");
const Tournament = page(() => import("~/pages/tournament"), "ladder");
const Bot = page(() => import("~/pages/bot"), "ladder");
const Author = page(() => import("~/pages/author"), "ladder");
const Matches = page(() => import("~/pages/matches"), "match", "play");
const Match = page(() => import("~/pages/match"), "match", "play");
const Embed = page(() => import("~/pages/embed"), "match", "play");
const Games = page(() => import("~/pages/games"));
const Game = page(() => import("~/pages/game"));
const Play = page(() => import("~/pages/play"), "match", "play");
const Join = page(() => import("~/pages/join"), "play");
const Enter = page(() => import("~/pages/enter"), "enter");
const Submission = page(() => import("~/pages/submission"), "enter");
const Account = page(() => import("~/pages/account"), "enter", "organiser");
const Organiser = page(() => import("~/pages/organiser"), "enter", "organiser");
const Missing = page(() => import("~/pages/missing"));

/** Links that the page leaves to the browser: files of the contract, and sign-in at a provider. */
const OWN = /^\/(?!contract\/|session)/;

let shown = location.pathname;
/** Another page is read from its beginning: the focus goes there, as it does where a browser loads one. */
function begin() {
  if (location.pathname === shown) return;
  shown = location.pathname;
  document.getElementById("main")?.focus({ preventScroll: true });
}

/** The whole page. The gateway serves it at each first part of a path that stands here (`fudaba_web.page`). */
export function App() {
  return (
    <LocationProvider scope={OWN}>
      <a class="skip" href="#main">
        {t("shell.skip")}
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary>
          <Router onRouteChange={begin}>
            <Route path="/" component={Home} />
            <Route path="/ladders" component={Ladders} />
            <Route path="/ladders/:ladder" component={Ladder} />
            <Route path="/ladders/:ladder/seasons/:season" component={Ladder} />
            <Route path="/tournaments/:tournament" component={Tournament} />
            <Route path="/bots/:bot" component={Bot} />
            <Route path="/authors/:author" component={Author} />
            <Route path="/matches" component={Matches} />
            <Route path="/matches/:match" component={Match} />
            <Route path="/embed/:match" component={Embed} />
            <Route path="/games" component={Games} />
            <Route path="/games/:game" component={Game} />
            <Route path="/play" component={Play} />
            <Route path="/join/:code" component={Join} />
            <Route path="/enter" component={Enter} />
            <Route path="/submissions/:submission" component={Submission} />
            <Route path="/account" component={Account} />
            <Route path="/organiser" component={Organiser} />
            <Route default component={Missing} />
          </Router>
        </ErrorBoundary>
      </main>
      <Footer />
    </LocationProvider>
  );
}
