/** Signing in: with a token, as a guest, or at a provider that the gateway knows. */
import { useId, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { type Session, becomeGuest, lapsed, newcomer, signIn } from "~/api/session";
import { inWords } from "~/api/errors";
import { t } from "~/i18n";
import { LoginFailed, Newcomers, Providers } from "~/parts/enter/logins";
import { Register } from "~/parts/enter/register";
import { WithBroughtCode, WithCode } from "~/parts/enter/sign_in_code";
import { useGuests } from "~/parts/games";
import { guestRefused } from "~/parts/guest_refused";
import { WithSession } from "~/parts/session";
import "~/parts/enter/enter.css";

/** Draws `children` for who is signed in as one of these; else how to sign in. */
export function SignedIn(props: {
  scopes: readonly Session["scope"][];
  why: string;
  children: (session: Session) => ComponentChildren;
}) {
  const { scopes, why, children } = props;
  return (
    <WithSession>
      {(session) =>
        session !== null && scopes.includes(session.scope) ? (
          <>
            {lapsed.value ? <Lapsed author={scopes.includes("author")} /> : <WithBroughtCode signedIn={session} />}
            {children(session)}
          </>
        ) : (
          <>
            <p class="intro">{why}</p>
            {session !== null && (
              <p class="notice">{t("account.otherScope", { scope: t(`account.scope.${session.scope}`) })}</p>
            )}
            <LoginFailed />
            {newcomer.value !== null && session === null ? <Newcomers newcomer={newcomer.value} /> : <Providers />}
            <SignIn guest={scopes.includes("guest")} />
            {scopes.includes("author") && <WithCode />}
            {scopes.includes("author") && newcomer.value === null && <Register />}
          </>
        )
      }
    </WithSession>
  );
}

/** Whose token counts no more signs in anew above the page's content, which stays as it was filled in. */
function Lapsed({ author }: { author: boolean }) {
  return (
    <>
      <p class="notice warn" role="alert">
        {t("account.lapsed")}
      </p>
      <Providers apart />
      <SignIn guest={false} />
      {author && <WithCode />}
    </>
  );
}

/** The form. With `guest`, who has no token is let in, too, where there are guests. */
export function SignIn(props: { guest: boolean }) {
  const id = useId();
  const guests = useGuests();
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState("");
  const enter = (work: () => Promise<void>, refusedAs: (error: unknown) => string | Promise<string> = inWords) => {
    if (busy) return;
    setBusy(true);
    setRefused("");
    work()
      .catch(async (error: unknown) => {
        setRefused(await refusedAs(error));
      })
      .finally(() => {
        setBusy(false);
      });
  };
  return (
    <form
      class="sheet form"
      onInput={() => {
        setRefused("");
      }}
      onSubmit={(event) => {
        event.preventDefault();
        enter(() => signIn(token));
      }}
    >
      <label for={id}>
        <strong>{t("account.token")}</strong>
      </label>
      <input
        id={id}
        type="password"
        autocomplete="current-password"
        spellcheck={false}
        required
        value={token}
        aria-describedby={`${id}-hint`}
        onInput={(event) => {
          setToken(event.currentTarget.value);
        }}
      />
      <small id={`${id}-hint`} class="quiet">
        {t("account.tokenHint")}
      </small>
      {refused !== "" && (
        <p class="notice bad" role="alert">
          {refused}
        </p>
      )}
      <div class="row">
        <button type="submit" class="main" aria-disabled={busy}>
          {t("shell.signIn")}
        </button>
        {props.guest && guests.state === "there" && guests.value && (
          <button
            type="button"
            aria-disabled={busy}
            onClick={() => {
              enter(becomeGuest, guestRefused);
            }}
          >
            {t("account.asGuest")}
          </button>
        )}
      </div>
    </form>
  );
}
