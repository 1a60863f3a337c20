/** What stands around every page: the way to each part, the language, who is signed in. */
import { LANGUAGES, type Language, type MessageKey, chooseLanguage, language, t } from "~/i18n";

const PLACES: readonly [string, MessageKey][] = [
    ["/ladders", "shell.ladders"],
    ["/matches", "shell.matches"],
    ["/games", "shell.games"],
    ["/play", "shell.play"],
    ["/enter", "shell.enter"],
];

export function Header() {
    return (
        <header class="header">
            <a class="brand" href="/">
                札場 <span>Fudaba</span>
            </a>
            <nav>
                {PLACES.map(([path, key]) => (
                    <a href={path} key={path}>
                        {t(key)}
                    </a>
                ))}
            </nav>
            <a href="/account">{t("shell.account")}</a>
        </header>
    );
}

export function Footer() {
    return (
        <footer class="footer">
            <label>
                {t("shell.language")}{" "}
                <select
                    value={language.value}
                    onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}
                >
                    {LANGUAGES.map(([code, name]) => (
                        <option value={code} key={code}>
                            {name}
                        </option>
                    ))}
                </select>
            </label>
        </footer>
    );
}
