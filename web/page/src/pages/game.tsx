import { t } from "~/i18n";

export default function Game() {
    return <p>{t("shell.loading")}</p>;
}
