import { t } from "~/i18n";

export default function Matches() {
    return <p>{t("shell.loading")}</p>;
}
