import { t } from "~/i18n";

/** The path leads nowhere. */
export default function Missing() {
    return <p>{t("shell.missing")}</p>;
}
