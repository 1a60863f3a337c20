/** Codes that sign in once: on another device, after everything was lost, or from a link of the organiser. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useLocation } from "preact-iso";
import { useCallback, useEffect, useId, useState } from "preact/hooks";
import { accounts } from "~/api/accounts";
import { type Session, enterWithCode, session } from "~/api/session";
import { type CreateSignInCodeResponse, type SignInCode, SignInCodeKind } from "~/gen/fudaba/v1/accounts_pb";
import { t, time } from "~/i18n";
import { SECRET, keep } from "~/kept";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { Shown, useLoad } from "~/parts/load";
import { Secret } from "~/parts/secret";
import { useSecret } from "~/parts/use_secret";

/** How a link begins that has a code in it. What stands behind # stays in the browser: no log has it. */
const IN_LINK = "#code=";

/** The link with which a code signs in. */
export function signInLink(code: string): string {
  return `${location.origin}/account${IN_LINK}${code}`;
}

const inAddress = () => (location.hash.startsWith(IN_LINK) ? location.hash.slice(IN_LINK.length) : "");

/** The code that a link has brought, also into a page that was open already; empty if none has. */
function useBrought(): string {
  const [brought, setBrought] = useState(inAddress);
  useEffect(() => {
    const look = () => {
      setBrought(inAddress());
    };
    window.addEventListener("hashchange", look);
    return () => {
      window.removeEventListener("hashchange", look);
    };
  }, []);
  return brought;
}

/** Forgets a code that is used up. */
function clearAddress() {
  history.replaceState(history.state, "", location.pathname + location.search);
  window.dispatchEvent(new Event("hashchange")); // the browser tells of links alone
}

/** Signs in with a code, which a link may have brought. */
export function WithCode() {
  const brought = useBrought();
  return (
    <details class="sheet" open={brought !== ""}>
      <summary>{t("codes.signIn")}</summary>
      <CodeForm key={brought} brought={brought} />
    </details>
  );
}

/** Signs in as somebody else, for whom a link has brought a code; nothing where none has. */
export function WithBroughtCode({ signedIn }: { signedIn: Session }) {
  if (useBrought() === "") return null;
  return (
    <>
      <p class="notice">
        {t("codes.otherIn", { name: signedIn.account || signedIn.bot || t("account.scope.organiser") })}
      </p>
      <WithCode />
    </>
  );
}

function CodeForm({ brought }: { brought: string }) {
  const id = useId();
  const [code, setCode] = useState(brought);
  const { route } = useLocation();
  return (
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
          act={async () => {
            const entered = await enterWithCode(code.trim());
            const recovered = entered?.label === "recovery";
            // Its code is used up, and whoever had to use it has nothing else: the next one is shown at once.
            if (recovered) await keepRecoveryCode(entered.account);
            clearAddress();
            session.value = entered;
            if (recovered && location.pathname !== "/account") route("/account");
          }}
        >
          {t("shell.signIn")}
        </Act>
      </div>
    </form>
  );
}

/** Since when there are recovery codes of the account's members. */
function RecoveryCodes({ codes }: { codes: readonly SignInCode[] }) {
  const found = codes.filter(({ kind }) => kind === SignInCodeKind.RECOVERY);
  if (found.length === 0) return <p>{t("codes.noRecovery")}</p>;
  return (
    <ul>
      {found.map(({ member, createTime }) => (
        <li key={member}>
          {createTime !== undefined && t("codes.recoveryMade", { member, time: time(timestampDate(createTime)) })}
        </li>
      ))}
    </ul>
  );
}

/** The codes that an author makes: one for another device, and the one with which to come back. */
export function Codes({ account }: { account: string }) {
  const [device, setDevice] = useState<CreateSignInCodeResponse>();
  const [recovery, setRecovery] = useSecret(recoveryOf(account));
  const valid = useLoad(
    useCallback(async (signal) => (await accounts.listSignInCodes({ account }, { signal })).codes, [account]),
  );
  const again = () => {
    if (valid.state === "there") valid.again();
  };
  return (
    <section>
      <h2>{t("codes.title")}</h2>
      <p class="quiet">{t("codes.intro")}</p>
      <Shown loaded={valid}>{(codes) => <RecoveryCodes codes={codes} />}</Shown>
      <div class="row">
        <Act
          act={async () => {
            setDevice(await accounts.createSignInCode({ account, kind: SignInCodeKind.DEVICE }));
          }}
          done={again}
        >
          {t("codes.device")}
        </Act>
        <Act
          confirm={t("codes.recoverySure")}
          act={async () => {
            setRecovery((await accounts.createSignInCode({ account, kind: SignInCodeKind.RECOVERY })).code);
          }}
          done={again}
        >
          {t("codes.recovery")}
        </Act>
        {valid.state === "there" && valid.value.length > 0 && (
          <Act
            confirm={t("codes.revokeSure")}
            act={async () => {
              await accounts.revokeSignInCodes({ account });
              setDevice(undefined);
              setRecovery("");
            }}
            done={again}
          >
            {t("codes.revoke")}
          </Act>
        )}
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

/** Makes a recovery code for whoever calls; empty if none can be had just now: its author makes one later. */
export async function recoveryCode(headers: Record<string, string> = {}): Promise<string> {
  try {
    return (await accounts.createSignInCode({ kind: SignInCodeKind.RECOVERY }, { headers })).code;
  } catch {
    return "";
  }
}

/** Makes a recovery code for who has just signed in, which `Codes` shows. */
async function keepRecoveryCode(account: string) {
  const code = await recoveryCode();
  if (code !== "") keep("window", SECRET + recoveryOf(account), code);
}

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
