import { t } from "~/i18n";

export default function Join() {
    return <p>{t("shell.loading")}</p>;
}
