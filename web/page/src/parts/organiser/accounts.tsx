/** The accounts: who they are, found by their names, and invited. */
import { useCallback, useState } from "preact/hooks";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { accounts } from "~/api/accounts";
import { type Account, SignInCodeKind } from "~/gen/fudaba/v1/accounts_pb";
import { t, time } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { signInLink } from "~/parts/enter/sign_in_code";
import { LooksLike } from "~/parts/looks_like";
import { CommandLine } from "~/parts/organiser/command_line";
import { AccountQuotas } from "~/parts/organiser/quotas";
import { Searched, Steps, usePlaces } from "~/parts/organiser/search";
import { Secret } from "~/parts/secret";
import { useSecret } from "~/parts/use_secret";
import "~/parts/pager.css";

const PAGE_SIZE = 50;

export function Accounts() {
  return (
    <>
      <Invite />
      <details class="sheet">
        <summary>{t("organiser.quotaDefaults")}</summary>
        <AccountQuotas account="" />
      </details>
      <Searched label={t("organiser.searchAccounts")}>{(query) => <List key={query} query={query} />}</Searched>
    </>
  );
}

function Invite() {
  const [code, setCode] = useSecret("invitation");
  return (
    <>
      <Act
        class="main"
        act={async () => {
          setCode((await accounts.createInvitation({})).code);
        }}
      >
        {t("organiser.invite")}
      </Act>
      {code !== "" && (
        <Secret
          key={code}
          kept={() => {
            setCode("");
          }}
        >
          <Copyable text={code} label={t("organiser.invitation")} />
          <p>{t("organiser.invitationLink")}</p>
          <Copyable text={`${location.origin}/enter?invitation=${code}`} label={t("organiser.invitation")} />
        </Secret>
      )}
    </>
  );
}

/** A page of the accounts with this text in what they are called, the newest first. */
function List({ query }: { query: string }) {
  const { place, places, go } = usePlaces("");
  const read = useLoad(
    useCallback(
      (signal: AbortSignal) =>
        accounts.listAccounts({ query, newestFirst: true, pageSize: PAGE_SIZE, pageToken: place }, { signal }),
      [query, place],
    ),
  );
  return (
    <Shown loaded={read}>
      {({ accounts: found, nextPageToken }, again) => (
        <>
          {found.length === 0 && <Nothing />}
          <ul class="entries">
            {found.map((account) => (
              <AccountRow key={account.name} account={account} again={again} />
            ))}
          </ul>
          <Steps places={places} next={nextPageToken === "" ? undefined : nextPageToken} go={go} />
        </>
      )}
    </Shown>
  );
}

/** A link with which somebody who has lost everything signs in once; the log of actions has who made it. */
function SignInLink({ account }: { account: string }) {
  const [code, setCode] = useSecret(`link of ${account}`);
  return (
    <>
      <Act
        label={`${t("organiser.link")} ${account}`}
        act={async () => {
          setCode((await accounts.createSignInCode({ account, kind: SignInCodeKind.LINK })).code);
        }}
      >
        {t("organiser.link")}
      </Act>
      {code !== "" && (
        <Secret
          key={code}
          kept={() => {
            setCode("");
          }}
        >
          <p>{t("organiser.linkExplained", { account })}</p>
          <Copyable text={signInLink(code)} label={t("organiser.link")} />
        </Secret>
      )}
    </>
  );
}

function AccountRow({ account, again }: { account: Account; again: () => void }) {
  const name = account.name;
  return (
    <li>
      <div class="row">
        <a href={`/authors/${encodeURIComponent(name)}`}>{name}</a>
        {account.displayName !== "" && <span>{account.displayName}</span>}
        <LooksLike other={account.looksLike} />
        {account.createTime !== undefined && <span class="quiet">{time(timestampDate(account.createTime))}</span>}
        <SignInLink account={name} />
        {account.suspended ? (
          <Act act={() => accounts.resumeAccount({ account: name })} done={again}>
            {t("organiser.resumeAccount")}
          </Act>
        ) : (
          <Act
            confirm={t("organiser.suspendSure", { account: name })}
            act={() => accounts.suspendAccount({ account: name })}
            done={again}
          >
            {t("organiser.suspend")}
          </Act>
        )}
      </div>
      <AccountDetails account={account} again={again} />
    </li>
  );
}

/** What is set of an account now and then, loaded when it is opened. */
function AccountDetails({ account, again }: { account: Account; again: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <details
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{t("organiser.accountDetails", { account: account.name })}</summary>
      {open && (
        <>
          <Name account={account} again={again} />
          <h3>{t("organiser.quotas")}</h3>
          <AccountQuotas account={account.name} />
          <CommandLine lines={[["fudaba", "account", account.suspended ? "resume" : "suspend", account.name]]} />
        </>
      )}
    </details>
  );
}

/** How an account is shown, and who may change that. */
function Name({ account, again }: { account: Account; again: () => void }) {
  const { name, displayName, displayNameLocked: locked } = account;
  const [typed, setTyped] = useState(displayName);
  const wanted = typed.trim();
  return (
    <div class="form">
      <label>
        {t("organiser.displayName")}
        <input
          value={typed}
          maxLength={100}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
          }}
        />
      </label>
      {wanted !== "" && wanted !== displayName && (
        <>
          <Act act={() => accounts.updateAccount({ account: name, displayName: wanted })} done={again}>
            {t("organiser.rename")}
          </Act>
          <CommandLine lines={[["fudaba", "account", "update", name, "--display-name", wanted]]} />
        </>
      )}
      <p>{t(locked ? "organiser.nameLocked" : "organiser.nameFree")}</p>
      <Act act={() => accounts.updateAccount({ account: name, displayName, lockDisplayName: !locked })} done={again}>
        {t(locked ? "organiser.unlockName" : "organiser.lockName")}
      </Act>
      <CommandLine lines={[["fudaba", "account", "update", name, locked ? "--unlock-name" : "--lock-name"]]} />
    </div>
  );
}
