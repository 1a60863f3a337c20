import { t } from "~/i18n";

export default function Submission() {
    return <p>{t("shell.loading")}</p>;
}
