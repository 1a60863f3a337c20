import { t } from "~/i18n";

export default function Match() {
    return <p>{t("shell.loading")}</p>;
}
