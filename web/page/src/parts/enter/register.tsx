/** An account of one's own: with an invitation code, or freely, as this site has it. */
import { useLocation } from "preact-iso";
import { accounts } from "~/api/accounts";
import { signIn } from "~/api/session";
import { Registration } from "~/gen/fudaba/v1/catalog_pb";
import { t } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { NewAccount } from "~/parts/enter/new_account";
import { useRegistration } from "~/parts/games";
import { Secret } from "~/parts/secret";
import { useSecret } from "~/parts/use_secret";

/** What makes an account; nothing where the organiser alone does. A link of the organiser has the code in it. */
export function Register() {
  const registration = useRegistration();
  const { query } = useLocation();
  const [token, setToken] = useSecret("account");
  if (token !== "") {
    return (
      <Made
        token={token}
        signedIn={() => {
          setToken("");
        }}
      />
    );
  }
  if (registration.state !== "there") return null;
  if (registration.value !== Registration.INVITE && registration.value !== Registration.OPEN) return null;
  const invited = registration.value === Registration.INVITE;
  return (
    <details class="sheet" open={query.invitation !== undefined}>
      <summary>{t(invited ? "register.invited" : "register.open")}</summary>
      <NewAccount
        invited={invited}
        code={query.invitation ?? ""}
        create={async (name, invitationCode) => {
          setToken((await accounts.createAccount({ name, invitationCode })).token);
        }}
      >
        <p class="quiet">{t("register.tokenFollows")}</p>
      </NewAccount>
    </details>
  );
}

/** The account's token, before it signs in: who has not kept it could not come back. */
function Made({ token, signedIn }: { token: string; signedIn: () => void }) {
  return (
    <section class="sheet form">
      <p>
        <strong>{t("register.made")}</strong>
      </p>
      <p>{t("register.keep")}</p>
      <Secret
        next={
          <Act class="main" act={() => signIn(token)} done={signedIn}>
            {t("register.kept")}
          </Act>
        }
      >
        <Copyable text={token} label={t("account.token")} />
      </Secret>
    </section>
  );
}
