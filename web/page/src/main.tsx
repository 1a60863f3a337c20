/** Where the page begins: the reader's language is loaded, then the page is drawn. */
import { render } from "preact";
import { App } from "~/app";
import { loadLanguage, preferredLanguage } from "~/i18n";
import { loadTheme } from "~/parts/theme";
import "~/tokens.css";
import "~/style.css";

const root = document.getElementById("page");
if (root === null) throw new Error("index.html has no element #page");
loadTheme();
await loadLanguage(preferredLanguage());
render(<App />, root);
