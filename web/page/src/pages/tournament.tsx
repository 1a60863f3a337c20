import { t } from "~/i18n";

export default function Tournament() {
    return <p>{t("shell.loading")}</p>;
}
