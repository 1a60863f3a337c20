import { t } from "~/i18n";

export default function Enter() {
    return <p>{t("shell.loading")}</p>;
}
