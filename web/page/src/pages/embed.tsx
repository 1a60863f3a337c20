import { t } from "~/i18n";

export default function Embed() {
    return <p>{t("shell.loading")}</p>;
}
