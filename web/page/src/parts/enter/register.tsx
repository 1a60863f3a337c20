/** An account of one's own: with an invitation code, or freely, as this site has it. */
import { useLocation } from "preact-iso";
import { accounts } from "~/api/accounts";
import { signIn } from "~/api/session";
import { SignInCodeKind } from "~/gen/fudaba/v1/accounts_pb";
import { Registration } from "~/gen/fudaba/v1/catalog_pb";
import { t } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { NewAccount } from "~/parts/enter/new_account";
import { Recovery } from "~/parts/enter/sign_in_code";
import { useRegistration } from "~/parts/games";
import { Secret } from "~/parts/secret";
import { useSecret } from "~/parts/use_secret";

/** What makes an account; nothing where the organiser alone does. A link of the organiser has the code in it. */
export function Register() {
  const registration = useRegistration();
  const { query } = useLocation();
  const [token, setToken] = useSecret("account");
  const [recovery, setRecovery] = useSecret("account's recovery");
  if (token !== "") {
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
          setRecovery(await recoveryCode(made.token));
          setToken(made.token);
        }}
      >
        <p class="quiet">{t("register.tokenFollows")}</p>
      </NewAccount>
    </details>
  );
}

/** A recovery code of a new account; empty if none can be had just now: its author makes one later. */
async function recoveryCode(token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    return (await accounts.createSignInCode({ kind: SignInCodeKind.RECOVERY }, { headers })).code;
  } catch {
    return "";
  }
}

/** The account's token, before it signs in: who has not kept it could not come back. */
function Made({ token, recovery, signedIn }: { token: string; recovery: string; signedIn: () => void }) {
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
        {recovery !== "" && <Recovery code={recovery} />}
      </Secret>
    </section>
  );
}
