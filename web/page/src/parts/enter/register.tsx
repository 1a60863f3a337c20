/** An account of one's own: with an invitation code, or freely, as this site has it. */
import { useLocation } from "preact-iso";
import { accounts } from "~/api/accounts";
import { session, signIn } from "~/api/session";
import { Registration } from "~/gen/fudaba/v1/catalog_pb";
import { t } from "~/i18n";
import { SECRET, keep } from "~/kept";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { NewAccount } from "~/parts/enter/new_account";
import { Recovery, recoveryCode, recoveryOf } from "~/parts/enter/sign_in_code";
import { useRegistration } from "~/parts/games";
import { Secret } from "~/parts/secret";
import { useSecret } from "~/parts/use_secret";

/** What makes an account; nothing where the organiser alone does. A link of the organiser has the code in it. */
export function Register() {
  const registration = useRegistration();
  const { query } = useLocation();
  const [token, setToken] = useSecret("account");
  const [recovery, setRecovery] = useSecret("account's recovery");
  if (token !== "" || recovery !== "") {
    return (
      <Made
        token={token}
        recovery={recovery}
        signedIn={() => {
          setToken("");
          setRecovery("");
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
          const made = await accounts.createAccount({ name, invitationCode });
          setToken(made.token); // it first: without it, nobody comes into the account
          const code = await recoveryCode({ authorization: `Bearer ${made.token}` });
          if (session.value)
            keep("window", SECRET + recoveryOf(name), code); // signed in meanwhile: the account shows it
          else setRecovery(code);
        }}
      >
        <p class="quiet">{t("register.tokenFollows")}</p>
      </NewAccount>
    </details>
  );
}

/**
 * The account's token, before it signs in: who has not kept it could not come back. A recovery code that comes after the
 * token was ticked is to be ticked, too.
 */
function Made({ token, recovery, signedIn }: { token: string; recovery: string; signedIn: () => void }) {
  return (
    <section class="sheet form">
      <p>
        <strong>{t("register.made")}</strong>
      </p>
      {token !== "" && <p>{t("register.keep")}</p>}
      <Secret
        key={recovery}
        kept={signedIn}
        {...(token === ""
          ? {}
          : {
              next: (
                <Act class="main" act={() => signIn(token)} done={signedIn}>
                  {t("register.kept")}
                </Act>
              ),
            })}
      >
        {token !== "" && <Copyable text={token} label={t("account.token")} />}
        {recovery !== "" && <Recovery code={recovery} />}
      </Secret>
    </section>
  );
}
