import { t } from "~/i18n";

export default function Account() {
    return <p>{t("shell.loading")}</p>;
}
