/** Codes that sign in once: on another device, after everything was lost, or from a link of the organiser. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useId, useState } from "preact/hooks";
import { accounts } from "~/api/accounts";
import { signInWithCode } from "~/api/session";
import { type CreateSignInCodeResponse, SignInCodeKind } from "~/gen/fudaba/v1/accounts_pb";
import { t, time } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { Secret } from "~/parts/secret";
import { useSecret } from "~/parts/use_secret";

/** How a link begins that has a code in it. What stands behind # stays in the browser: no log has it. */
const IN_LINK = "#code=";

/** The link with which a code signs in. */
export function signInLink(code: string): string {
  return `${location.origin}/account${IN_LINK}${code}`;
}

/** Signs in with a code, which a link may have brought. */
export function WithCode() {
  const id = useId();
  const [brought] = useState(() => (location.hash.startsWith(IN_LINK) ? location.hash.slice(IN_LINK.length) : ""));
  const [code, setCode] = useState(brought);
  return (
    <details class="sheet" open={brought !== ""}>
      <summary>{t("codes.signIn")}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <label for={id}>
          <strong>{t("codes.code")}</strong>
        </label>
        <input
          id={id}
          value={code}
          maxLength={40}
          spellcheck={false}
          autocapitalize="characters"
          autocomplete="one-time-code"
          aria-describedby={`${id}-hint`}
          onInput={(event) => {
            setCode(event.currentTarget.value);
          }}
        />
        <small id={`${id}-hint`} class="quiet">
          {t("codes.hint")}
        </small>
        <div class="row">
          <Act
            class="main"
            submits
            act={() => signInWithCode(code.trim())}
            done={() => {
              history.replaceState(history.state, "", location.pathname + location.search); // it is used up
            }}
          >
            {t("shell.signIn")}
          </Act>
        </div>
      </form>
    </details>
  );
}

/** The codes that an author makes: one for another device, and the one with which to come back. */
export function Codes({ account }: { account: string }) {
  const [device, setDevice] = useState<CreateSignInCodeResponse>();
  const [recovery, setRecovery] = useSecret(recoveryOf(account));
  return (
    <section>
      <h2>{t("codes.title")}</h2>
      <p class="quiet">{t("codes.intro")}</p>
      <div class="row">
        <Act
          act={async () => {
            setDevice(await accounts.createSignInCode({ account, kind: SignInCodeKind.DEVICE }));
          }}
        >
          {t("codes.device")}
        </Act>
        <Act
          confirm={t("codes.recoverySure")}
          act={async () => {
            setRecovery((await accounts.createSignInCode({ account, kind: SignInCodeKind.RECOVERY })).code);
          }}
        >
          {t("codes.recovery")}
        </Act>
      </div>
      {device?.expireTime !== undefined && (
        <div role="status">
          <p>
            {t("codes.onDevice", { time: time(timestampDate(device.expireTime)), page: `${location.host}/account` })}
          </p>
          <Copyable text={device.code} label={t("codes.code")} />
        </div>
      )}
      {recovery !== "" && (
        <Secret
          key={recovery}
          kept={() => {
            setRecovery("");
          }}
        >
          <Recovery code={recovery} />
        </Secret>
      )}
    </section>
  );
}

/** The name under which a window keeps the recovery code of an account until its reader has. */
export const recoveryOf = (account: string) => `recovery of ${account}`;

/** A recovery code, to copy or to print. */
export function Recovery({ code }: { code: string }) {
  return (
    <>
      <p>{t("codes.recoveryKeep")}</p>
      <Copyable text={code} label={t("codes.recoveryCode")} />
      <button
        type="button"
        class="small"
        onClick={() => {
          window.print();
        }}
      >
        {t("codes.print")}
      </button>
    </>
  );
}
