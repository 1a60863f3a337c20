import { t } from "~/i18n";

export default function Organiser() {
    return <p>{t("shell.loading")}</p>;
}
