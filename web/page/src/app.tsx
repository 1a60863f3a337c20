/** What every page has around it, and the page that its path shows. */
import type { ComponentType } from "preact";
import { ErrorBoundary, LocationProvider, Route, Router, lazy } from "preact-iso";
import { Failed } from "~/parts/load";
import { Maintenance } from "~/parts/maintenance";
import { Footer, Header } from "~/parts/shell";
import { loadTexts, t } from "~/i18n";
import { MISSING, type PageParts, ROUTES } from "~/routes";

const PAGES = import.meta.glob<{ default: ComponentType }>("./pages/*.tsx");
const pages = new Map<string, ComponentType>();

/** A page, loaded with the files of the catalogue that it needs beyond the first view's; for all of its paths the same. */
function pageOf({ page, texts = [] }: PageParts): ComponentType {
  const known = pages.get(page);
  if (known !== undefined) return known;
  const made = lazy(async () => {
    const load = PAGES[`./pages/${page}.tsx`];
    if (load === undefined) throw new Error(`there is no page ${page}`);
    return (await Promise.all([load(), loadTexts(...texts)]).catch(notLoaded))[0];
  });
  pages.set(page, made);
  return made;
}

/** In place of a page whose files did not come: they may be there when the browser asks for the whole anew. */
function notLoaded(error: unknown): [{ default: ComponentType }] {
  console.warn(error);
  const again = () => {
    location.reload();
  };
  return [{ default: () => <Failed error={t("shell.offline")} again={again} /> }];
}

/** Links that the page leaves to the browser: files of the contract, and sign-in at a provider. */
const OWN = /^\/(?!contract\/|session)/;

let shown = location.pathname;
/** Another page is read from its beginning: the focus goes there, as it does where a browser loads one. */
function begin() {
  if (location.pathname === shown) return;
  shown = location.pathname;
  document.getElementById("main")?.focus({ preventScroll: true });
}

/** The whole page. */
export function App() {
  return (
    <LocationProvider scope={OWN}>
      <a class="skip" href="#main">
        {t("shell.skip")}
      </a>
      <Header />
      <Maintenance />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary>
          <Router onRouteChange={begin}>
            {Object.entries(ROUTES).map(([path, parts]) => (
              <Route key={path} path={path} component={pageOf(parts)} />
            ))}
            <Route default component={pageOf(MISSING)} />
          </Router>
        </ErrorBoundary>
      </main>
      <Footer />
    </LocationProvider>
  );
}
