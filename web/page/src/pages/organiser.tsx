/** What an organiser does: ladders, accounts and invitations, and what organisers did. */
import { useCallback, useState } from "preact/hooks";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { accounts } from "~/api/accounts";
import { arena } from "~/api/arena";
import type { Account, Action } from "~/gen/fudaba/v1/accounts_pb";
import { type Ladder, LadderState } from "~/gen/fudaba/v1/arena_pb";
import { inWords } from "~/api/errors";
import { t, time } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { SignedIn } from "~/parts/enter/sign_in";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { Annul } from "~/parts/organiser/annul";
import { Now } from "~/parts/organiser/now";
import { Tabs } from "~/parts/tabs";
import { useTitle } from "~/parts/title";
import example from "../../../../docs/examples/open.toml?raw";
import "~/parts/enter/enter.css";

const PAGE = 200;

export default function OrganiserPage() {
  const [tab, setTab] = useState("now");
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
              ["accounts", t("organiser.accounts")],
              ["annul", t("organiser.annul")],
              ["actions", t("organiser.actions")],
            ]}
            chosen={tab}
            choose={setTab}
          >
            {tab === "now" && <Now />}
            {tab === "ladders" && <Ladders />}
            {tab === "accounts" && <Accounts />}
            {tab === "annul" && <Annul />}
            {tab === "actions" && <Actions />}
          </Tabs>
        )}
      </SignedIn>
    </>
  );
}

function Ladders() {
  const all = useLoad(useCallback(async (signal) => (await arena.listLadders({}, { signal })).ladders, []));
  return (
    <Shown of={all}>
      {(found, again) => (
        <>
          {found.length === 0 && <Nothing>{t("enter.noLadders")}</Nothing>}
          <ul class="entries">
            {found.map((ladder) => (
              <LadderRow key={ladder.name} ladder={ladder} again={again} />
            ))}
          </ul>
          <NewLadder made={again} />
        </>
      )}
    </Shown>
  );
}

function LadderRow({ ladder, again }: { ladder: Ladder; again: () => void }) {
  const name = ladder.name;
  const paused = ladder.state === LadderState.PAUSED;
  return (
    <li class="row">
      <a href={`/ladders/${encodeURIComponent(name)}`}>{name}</a>
      <span class="quiet">{t("organiser.season", { season: ladder.season, entries: ladder.entriesPlaying })}</span>
      <Act
        act={() => (paused ? arena.resumeLadder({ ladder: name }) : arena.pauseLadder({ ladder: name }))}
        done={again}
      >
        {t(paused ? "enter.resume" : "enter.pause")}
      </Act>
      <Act
        confirm={t("organiser.closeSure", { ladder: name })}
        act={() => arena.closeSeason({ ladder: name })}
        done={again}
      >
        {t("organiser.close")}
      </Act>
    </li>
  );
}

/** A ladder's file, as `fudaba ladder new` writes it and `fudaba ladder create` takes it: checked first, then created. */
function NewLadder({ made }: { made: () => void }) {
  const [definition, setDefinition] = useState(example);
  const [said, setSaid] = useState("");
  return (
    <details class="sheet">
      <summary>{t("organiser.newLadder")}</summary>
      <label>
        {t("organiser.definition")}
        <textarea
          rows={12}
          spellcheck={false}
          value={definition}
          onInput={(event) => {
            setDefinition(event.currentTarget.value);
            setSaid("");
          }}
        />
      </label>
      {said !== "" && (
        <pre role="status" tabIndex={0}>
          {said}
        </pre>
      )}
      <div class="row">
        <Act
          act={async () => {
            try {
              await arena.createLadder({ definition, validateOnly: true });
              setSaid(t("organiser.isGood"));
            } catch (error) {
              setSaid(inWords(error));
            }
          }}
        >
          {t("organiser.check")}
        </Act>
        <Act class="small main" act={() => arena.createLadder({ definition })} done={made}>
          {t("organiser.create")}
        </Act>
      </div>
    </details>
  );
}

function Accounts() {
  const [code, setCode] = useState("");
  const all = useLoad(
    useCallback(async (signal) => (await accounts.listAccounts({ pageSize: PAGE }, { signal })).accounts, []),
  );
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
        <>
          <Copyable text={code} label={t("organiser.invitation")} />
          <p>{t("organiser.invitationLink")}</p>
          <Copyable text={`${location.origin}/enter?invitation=${code}`} label={t("organiser.invitation")} />
        </>
      )}
      <Shown of={all}>
        {(found, again) => (
          <ul class="entries">
            {found.map((account) => (
              <AccountRow key={account.name} account={account} again={again} />
            ))}
          </ul>
        )}
      </Shown>
    </>
  );
}

function AccountRow({ account, again }: { account: Account; again: () => void }) {
  const name = account.name;
  return (
    <li class="row">
      <a href={`/authors/${encodeURIComponent(name)}`}>{name}</a>
      {account.displayName !== "" && <span>{account.displayName}</span>}
      {account.createTime !== undefined && <span class="quiet">{time(timestampDate(account.createTime))}</span>}
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
    </li>
  );
}

function Actions() {
  const all = useLoad(
    useCallback(async (signal) => {
      const [service, own] = await Promise.all([
        accounts.listActions({ pageSize: PAGE }, { signal }),
        arena.listArenaActions({ pageSize: PAGE }, { signal }),
      ]);
      return newestFirst([...service.actions, ...own.actions]);
    }, []),
  );
  return (
    <Shown of={all}>
      {(found) =>
        found.length === 0 ? (
          <Nothing />
        ) : (
          <div class="scroll" role="region" aria-label={t("organiser.actions")} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("organiser.when")}</th>
                  <th scope="col">{t("organiser.what")}</th>
                  <th scope="col">{t("organiser.subject")}</th>
                  <th scope="col">{t("organiser.who")}</th>
                </tr>
              </thead>
              <tbody>
                {found.map((action, at) => (
                  <tr key={at}>
                    <td class="nowrap">{action.time === undefined ? "" : time(timestampDate(action.time))}</td>
                    <td>{action.method}</td>
                    <td>{Object.entries(action.subject).map(([name, value]) => `${name} ${value} `)}</td>
                    <td>{action.account || action.label || action.tokenId}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Shown>
  );
}

/** Both logs as one. */
export function newestFirst(actions: readonly Action[]): Action[] {
  return [...actions].sort((one, other) => Number((other.time?.seconds ?? 0n) - (one.time?.seconds ?? 0n)));
}
