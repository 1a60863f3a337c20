import { t } from "~/i18n";

export default function Ladder() {
    return <p>{t("shell.loading")}</p>;
}
