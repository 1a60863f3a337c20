import { t } from "~/i18n";

export default function Home() {
    return <p>{t("shell.loading")}</p>;
}
