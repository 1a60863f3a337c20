import { t } from "~/i18n";

export default function Play() {
    return <p>{t("shell.loading")}</p>;
}
