/** Signing in at a provider of logins, and what a login without an account can become. */
import { useEffect, useState } from "preact/hooks";
import {
  type Newcomer,
  type Provider,
  accountName,
  createAccount,
  failureIn,
  linkLogin,
  loginAt,
  providers,
} from "~/api/logins";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { NewAccount } from "~/parts/enter/new_account";

/**
 * A link for each provider; nothing where there is none. It leaves the page, which a router must not prevent; or `apart`
 * it opens a window of its own.
 */
export function Providers({ apart = false }: { apart?: boolean }) {
  const [found, setFound] = useState<Provider[]>([]);
  useEffect(() => {
    const ending = new AbortController();
    providers(ending.signal).then(setFound, () => undefined); // tokens sign in all the same
    return () => {
      ending.abort();
    };
  }, []);
  if (found.length === 0) return null;
  return (
    <p class="row">
      {found.map((provider) => (
        <a class="button main" key={provider.id} href={loginAt(location.pathname)} target={apart ? "_blank" : "_top"}>
          {t("login.at", { provider: provider.name })}
        </a>
      ))}
      <span class="quiet">{t("login.or")}</span>
    </p>
  );
}

/** Why the login has failed from which the browser has just come back. */
export function LoginFailed() {
  const failure = failureIn(location.search);
  if (failure === undefined) return null;
  return (
    <p class="notice bad" role="alert">
      {t(`login.failed.${failure}`)}
    </p>
  );
}

/** A login without an account makes one. */
export function Newcomers({ newcomer }: { newcomer: Newcomer }) {
  return (
    <section class="sheet form">
      <NewAccount invited name={accountName(newcomer.name)} hint={t("login.invitationHint")} create={createAccount}>
        <p>{t("login.welcome", { provider: newcomer.provider })}</p>
      </NewAccount>
      <p class="quiet">{t("login.haveOne")}</p>
    </section>
  );
}

/** Who is signed in with a token can add the login to the account. */
export function LinkLogin({ newcomer, account }: { newcomer: Newcomer; account: string }) {
  return (
    <div class="notice">
      <p>{t("login.addIntro", { provider: newcomer.provider, account })}</p>
      <Act class="main" act={linkLogin}>
        {t("login.add", { account })}
      </Act>
    </div>
  );
}
