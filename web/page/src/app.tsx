/** What every page has around it, and which page a path shows. */
import { ErrorBoundary, LocationProvider, Route, Router, lazy } from "preact-iso";
import { Footer, Header } from "~/parts/shell";
import { t } from "~/i18n";

const Home = lazy(() => import("~/pages/home"));
const Ladders = lazy(() => import("~/pages/ladders"));
const Ladder = lazy(() => import("~/pages/ladder"));
const Tournament = lazy(() => import("~/pages/tournament"));
const Bot = lazy(() => import("~/pages/bot"));
const Author = lazy(() => import("~/pages/author"));
const Matches = lazy(() => import("~/pages/matches"));
const Match = lazy(() => import("~/pages/match"));
const Embed = lazy(() => import("~/pages/embed"));
const Games = lazy(() => import("~/pages/games"));
const Game = lazy(() => import("~/pages/game"));
const Play = lazy(() => import("~/pages/play"));
const Join = lazy(() => import("~/pages/join"));
const Enter = lazy(() => import("~/pages/enter"));
const Submission = lazy(() => import("~/pages/submission"));
const Account = lazy(() => import("~/pages/account"));
const Organiser = lazy(() => import("~/pages/organiser"));
const Missing = lazy(() => import("~/pages/missing"));

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
