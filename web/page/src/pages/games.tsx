import { t } from "~/i18n";

export default function Games() {
    return <p>{t("shell.loading")}</p>;
}
