/** Who is signed in, and what is theirs: bots, members, tokens. */
import { useCallback, useState } from "preact/hooks";
import { accounts } from "~/api/accounts";
import { allBots } from "~/api/bots";
import { type Session, newcomer, session, signOut } from "~/api/session";
import type { Link } from "~/gen/fudaba/v1/accounts_pb";
import { t, time } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { LinkLogin } from "~/parts/enter/logins";
import { Codes } from "~/parts/enter/sign_in_code";
import { SignedIn } from "~/parts/enter/sign_in";
import { Tokens } from "~/parts/enter/tokens";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { LooksLike } from "~/parts/looks_like";
import { useTitle } from "~/parts/title";
import "~/parts/enter/enter.css";

export default function AccountPage() {
  useTitle(t("shell.account"));
  return (
    <>
      <h1>{t("shell.account")}</h1>
      <SignedIn scopes={["author", "organiser", "bot", "guest"]} why={t("account.why")}>
        {(signedIn) => <Own signedIn={signedIn} />}
      </SignedIn>
    </>
  );
}

function Own({ signedIn }: { signedIn: Session }) {
  return (
    <>
      <div class="sheet">
        <p>
          {t("account.signedInAs")} <strong>{signedIn.account || signedIn.bot || t("account.scope.organiser")}</strong>{" "}
          ({t(`account.scope.${signedIn.scope}`)})
          {signedIn.expireTime !== null && (
            <span class="quiet"> {t("account.until", { time: time(new Date(signedIn.expireTime)) })}</span>
          )}
        </p>
        <div class="row">
          {signedIn.scope === "author" && (
            <a class="button" href="/enter">
              {t("shell.enter")}
            </a>
          )}
          {signedIn.scope === "organiser" && (
            <a class="button" href="/organiser">
              {t("organiser.title")}
            </a>
          )}
          {(signedIn.scope === "guest" || signedIn.scope === "bot") && (
            <a class="button" href="/play">
              {t("shell.play")}
            </a>
          )}
          <Act
            act={signOut}
            class=""
            {...(signedIn.scope === "guest" ? { confirm: t("account.guestSignOutSure") } : {})}
          >
            {t("account.signOut")}
          </Act>
        </div>
      </div>
      {signedIn.scope === "author" && (
        <>
          {newcomer.value !== null && <LinkLogin newcomer={newcomer.value} account={signedIn.account} />}
          <Bots />
          <Members account={signedIn.account} />
          <Codes key={signedIn.tokenId} account={signedIn.account} />
          <Tokens session={signedIn} />
          <Deletion account={signedIn.account} />
        </>
      )}
    </>
  );
}

function Bots() {
  const own = useLoad(allBots);
  return (
    <section>
      <h2>{t("account.bots")}</h2>
      <Shown loaded={own}>
        {(found) =>
          found.length === 0 ? (
            <Nothing>
              {t("account.noBots")} <a href="/enter">{t("shell.enter")}</a>
            </Nothing>
          ) : (
            <ul>
              {found.map((bot) => (
                <li key={bot.name}>
                  <a href={`/bots/${encodeURIComponent(bot.name)}`}>{bot.name}</a>{" "}
                  <span class="quiet">{t("account.versions", { count: bot.versions.length })}</span>
                  <LooksLike other={bot.looksLike} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function Members({ account }: { account: string }) {
  const own = useLoad(
    useCallback(async (signal) => (await accounts.getAccount({ account }, { signal })).account?.members, [account]),
  );
  return (
    <section>
      <h2>{t("account.members")}</h2>
      <Shown loaded={own}>
        {(members, again) => (
          <>
            <ul class="entries">
              {(members ?? []).map((member) => (
                <li key={member.name} class="row">
                  <strong>{member.name}</strong>
                  {member.links.map((link) => (
                    <Login key={`${link.issuer} ${link.subject}`} link={link} account={account} again={again} />
                  ))}
                  {(members?.length ?? 0) > 1 && (
                    <Act
                      label={`${t("account.remove")} ${member.name}`}
                      confirm={t("account.removeSure", { member: member.name })}
                      act={() => accounts.removeMember({ account, member: member.name })}
                      done={again}
                    >
                      {t("account.remove")}
                    </Act>
                  )}
                </li>
              ))}
            </ul>
            <NewMember account={account} again={again} />
          </>
        )}
      </Shown>
    </section>
  );
}

/** A login with which a member signs in. */
function Login({ link, account, again }: { link: Link; account: string; again: () => void }) {
  return (
    <span class="row tight">
      <span class="quiet">{t("account.login", { issuer: link.issuer })}</span>
      <Act
        label={`${t("account.removeLogin")} ${link.issuer}`}
        confirm={t("account.removeLoginSure", { issuer: link.issuer })}
        act={() => accounts.removeLink({ account, link })}
        done={again}
      >
        {t("account.removeLogin")}
      </Act>
    </span>
  );
}

function NewMember({ account, again }: { account: string; again: () => void }) {
  const [member, setMember] = useState("");
  return (
    <div class="row">
      <label>
        {t("account.newMember")}{" "}
        <input
          value={member}
          maxLength={40}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            setMember(event.currentTarget.value.trim());
          }}
        />
      </label>
      {member !== "" && (
        <Act
          act={() => accounts.addMember({ account, member })}
          done={() => {
            setMember("");
            again();
          }}
        >
          {t("account.add")}
        </Act>
      )}
    </div>
  );
}

function Deletion({ account }: { account: string }) {
  return (
    <section>
      <h2>{t("account.delete")}</h2>
      <p class="quiet">{t("account.deleteIntro")}</p>
      <Act
        confirm={t("account.deleteSure", { account })}
        act={() => accounts.deleteAccount({ account })}
        done={() => (session.value = null)}
      >
        {t("account.delete")}
      </Act>
    </section>
  );
}
