/** What an organiser does: ladders, tournaments, accounts, bots and matches, and what organisers did. */
import { useLocation } from "preact-iso";
import { t } from "~/i18n";
import { SignedIn } from "~/parts/enter/sign_in";
import { Accounts } from "~/parts/organiser/accounts";
import { Actions } from "~/parts/organiser/actions";
import { Annul } from "~/parts/organiser/annul";
import { Disqualify } from "~/parts/organiser/disqualify";
import { Aborting } from "~/parts/organiser/aborting";
import { Bots } from "~/parts/organiser/bots";
import { Ladders } from "~/parts/organiser/ladders";
import { Now } from "~/parts/organiser/now";
import { Tournaments } from "~/parts/organiser/tournaments";
import { Tabs } from "~/parts/tabs";
import { useTitle } from "~/parts/title";
import "~/parts/enter/enter.css";

export default function OrganiserPage() {
  const { query, route } = useLocation();
  const { tab = "now", ...fields } = query;
  useTitle(t("organiser.title"));
  return (
    <>
      <h1>{t("organiser.title")}</h1>
      <SignedIn scopes={["organiser"]} why={t("organiser.why")}>
        {() => (
          <Tabs
            label={t("organiser.title")}
            tabs={[
              ["now", t("organiser.now")],
              ["ladders", t("shell.ladders")],
              ["tournaments", t("organiser.tournaments")],
              ["accounts", t("organiser.accounts")],
              ["bots", t("organiser.bots")],
              ["matches", t("organiser.matches")],
              ["annul", t("organiser.annul")],
              ["disqualify", t("organiser.disqualify")],
              ["actions", t("organiser.actions")],
            ]}
            chosen={tab}
            choose={(next) => {
              route(`/organiser?tab=${next}`);
            }}
          >
            {tab === "now" && <Now />}
            {tab === "ladders" && <Ladders />}
            {tab === "tournaments" && <Tournaments />}
            {tab === "accounts" && <Accounts />}
            {tab === "bots" && <Bots />}
            {tab === "matches" && <Aborting />}
            {tab === "annul" && <Annul begun={fields} />}
            {tab === "disqualify" && <Disqualify begun={fields} />}
            {tab === "actions" && <Actions />}
          </Tabs>
        )}
      </SignedIn>
    </>
  );
}
