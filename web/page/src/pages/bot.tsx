import { t } from "~/i18n";

export default function Bot() {
    return <p>{t("shell.loading")}</p>;
}
