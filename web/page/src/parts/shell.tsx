/** What stands around every page: the way to each part, the language, light or dark. */
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { LANGUAGES, type Language, type MessageKey, chooseLanguage, language, t } from "~/i18n";
import { type Theme, chooseFourColours, chooseTheme, fourColours, theme } from "~/parts/theme";
import { saidOfSite } from "~/parts/title";
import "~/parts/shell.css";

/** Where the header leads, and which first parts of a path belong there besides. */
const PLACES: readonly { path: string; key: MessageKey; also?: readonly string[] }[] = [
  { path: "/ladders", key: "shell.ladders", also: ["/bots", "/authors", "/tournaments"] },
  { path: "/matches", key: "shell.matches" },
  { path: "/games", key: "shell.games" },
  { path: "/play", key: "shell.play", also: ["/join"] },
  { path: "/enter", key: "shell.enter", also: ["/submissions"] },
  { path: "/account", key: "shell.account", also: ["/organiser"] },
];
const THEMES: readonly [Theme, MessageKey][] = [
  ["system", "shell.themeSystem"],
  ["light", "shell.themeLight"],
  ["dark", "shell.themeDark"],
];

/** The strokes of 札場, drawn for this page and under its licence: a system without Japanese fonts shows them too. */
const BRAND =
  "M5 28H52M29 4V97M28 30Q22 55 4 74M32 42 50 60M66 5V82Q66 93 76 93H90Q97 93 97 78" +
  "M108 36H144M126 8V72M106 80 146 66M156 6H192V42H156ZM156 24H192M147 54H203" +
  "M161 54Q157 68 146 78M159 64H196Q196 88 188 96L178 92M174 64Q168 82 150 96M187 64Q183 84 166 98";

/** Links that whoever runs the site may give. */
const SAID: readonly ["contact" | "imprint", MessageKey][] = [
  ["contact", "shell.contact"],
  ["imprint", "shell.imprint"],
];

export function Header() {
  const { url, path } = useLocation();
  // Open for the page on which it was opened: whoever has gone on has chosen.
  const [openAt, setOpenAt] = useState("");
  const open = openAt === url;
  if (isBare(path)) return null;
  return (
    <header
      class="header"
      onKeyDown={(event) => {
        if (event.key === "Escape") setOpenAt("");
      }}
    >
      <div>
        <a class="brand" href="/" aria-current={path === "/" ? "page" : undefined}>
          {saidOfSite("application-name") || (
            <>
              <span lang="ja">
                <svg class="brand-sign" viewBox="0 0 206 100" role="img" aria-label="札場">
                  <path d={BRAND} />
                </svg>
              </span>{" "}
              <span>Fudaba</span>
            </>
          )}
        </a>
        <button
          type="button"
          class="menu small"
          aria-expanded={open}
          aria-controls="places"
          onClick={() => {
            setOpenAt(open ? "" : url);
          }}
        >
          {t("shell.menu")}
        </button>
        <nav id="places" class={open ? "open" : ""} aria-label={t("shell.places")}>
          {PLACES.map((place) => (
            <a href={place.path} key={place.path} aria-current={currentAt(path, place.path, place.also)}>
              {t(place.key)}
            </a>
          ))}
        </nav>
      </div>
    </header>
  );
}

/** What `aria-current` says of a place on the page at `path`: the page itself, or a part of the place. */
export function currentAt(path: string, place: string, also: readonly string[] = []): "page" | "true" | undefined {
  if (path === place) return "page";
  return [place, ...also].some((start) => path === start || path.startsWith(`${start}/`)) ? "true" : undefined;
}

/** Whether nothing stands around the page at this path: it is shown inside another site's. */
export function isBare(path: string): boolean {
  return path.startsWith("/embed/") || path === "/now";
}

export function Footer() {
  const { path } = useLocation();
  if (isBare(path)) return null;
  return (
    <footer class="footer">
      <div>
        <ul>
          <li>
            <a href="/programs">{t("shell.contract")}</a>
          </li>
          <li>
            <a href="/status">{t("shell.status")}</a>
          </li>
          <li>
            <a href="/contract/fudaba-contract.zip">{t("shell.bundle")}</a>
          </li>
          {SAID.map(([name, key]) => {
            const href = saidOfSite(name);
            return (
              href !== "" && (
                <li key={name}>
                  <a href={href} target="_self">
                    {t(key)}
                  </a>
                </li>
              )
            );
          })}
        </ul>
        <label class="row">
          {t("shell.language")}
          <select
            class="small"
            value={language.value}
            onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}
          >
            {LANGUAGES.map(([code, name]) => (
              <option value={code} key={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="row">
          {t("shell.theme")}
          <select
            class="small"
            value={theme.value}
            onChange={(event) => {
              chooseTheme(event.currentTarget.value as Theme);
            }}
          >
            {THEMES.map(([code, key]) => (
              <option value={code} key={code}>
                {t(key)}
              </option>
            ))}
          </select>
        </label>
        <label class="row">
          <input
            type="checkbox"
            checked={fourColours.value}
            onChange={(event) => {
              chooseFourColours(event.currentTarget.checked);
            }}
          />
          {t("shell.fourColours")}
        </label>
      </div>
    </footer>
  );
}
