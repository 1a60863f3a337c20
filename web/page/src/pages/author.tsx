import { t } from "~/i18n";

export default function Author() {
    return <p>{t("shell.loading")}</p>;
}
