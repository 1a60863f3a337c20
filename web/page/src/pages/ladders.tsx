import { t } from "~/i18n";

export default function Ladders() {
    return <p>{t("shell.loading")}</p>;
}
