/** An account's tokens: which there are, new ones, and the end of old ones. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { accounts, allTokens } from "~/api/accounts";
import type { Session } from "~/api/session";
import {
  type CreateAccountTokenResponse,
  type RotateTokenResponse,
  type Token,
  TokenScope,
} from "~/gen/fudaba/v1/accounts_pb";
import { t, time } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { Secret } from "~/parts/secret";
import { useSecret } from "~/parts/use_secret";

const SCOPES: Partial<Record<TokenScope, Session["scope"]>> = {
  [TokenScope.ORGANISER]: "organiser",
  [TokenScope.AUTHOR]: "author",
  [TokenScope.BOT]: "bot",
  [TokenScope.GUEST]: "guest",
};

/** A token that was just made, with its secret. */
interface Made {
  readonly token: string;
  readonly tokenId: string;
}

type Show = (made: RotateTokenResponse | CreateAccountTokenResponse) => void;

const listed = (signal: AbortSignal) => allTokens(signal);

export function Tokens({ session }: { session: Session }) {
  const [secret, setSecret] = useSecret(`new token of ${session.account || session.bot}`);
  const made = secret === "" ? undefined : (JSON.parse(secret) as Made);
  const show: Show = ({ token, info }) => {
    setSecret(JSON.stringify({ token, tokenId: info?.tokenId ?? "" } satisfies Made));
  };
  const tokens = useLoad(listed);
  return (
    <section>
      <h2>{t("account.tokens")}</h2>
      <p class="quiet">{t("account.tokensIntro")}</p>
      <Shown loaded={tokens}>
        {(found, again) => (
          <>
            {made !== undefined && found.some(({ tokenId }) => tokenId === made.tokenId) && (
              <Secret
                key={made.tokenId}
                kept={() => {
                  setSecret("");
                }}
              >
                <p>{t("account.tokenOf", { id: made.tokenId })}</p>
                <Copyable text={made.token} label={t("account.token")} />
              </Secret>
            )}
            {found.length === 0 ? <Nothing /> : <List tokens={found} session={session} made={show} again={again} />}
            {session.scope === "author" && (
              <Act
                act={async () => {
                  const request = { scope: TokenScope.AUTHOR, label: t("account.newTokenLabel") };
                  show(await accounts.createAccountToken(request));
                }}
                done={again}
              >
                {t("account.newToken")}
              </Act>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

function List(props: { tokens: Token[]; session: Session; made: Show; again: () => void }) {
  return (
    <div class="scroll" role="region" aria-label={t("account.tokens")} tabIndex={0}>
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">{t("account.tokenId")}</th>
            <th scope="col">{t("account.for")}</th>
            <th scope="col">{t("account.label")}</th>
            <th scope="col">{t("account.lastUse")}</th>
            <th scope="col">{t("account.expires")}</th>
            <th scope="col">
              <span class="unseen">{t("account.change")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.tokens.map((token) => (
            <Row key={token.tokenId} token={token} {...props} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: { token: Token; session: Session; made: Show; again: () => void }) {
  const { token } = props;
  const { tokenId } = token;
  const scope = SCOPES[token.scope];
  const own = tokenId === props.session.tokenId;
  return (
    <tr>
      <th scope="row" class="nowrap">
        <code>{tokenId}</code>
      </th>
      <td class="nowrap" data-head={t("account.for")}>
        {token.bot === "" ? scope !== undefined && t(`account.scope.${scope}`) : `${token.bot}@${token.version}`}
        {own && <small class="quiet"> {t("account.thisOne")}</small>}
      </td>
      <td data-head={t("account.label")}>{token.label}</td>
      <td class="nowrap" data-head={t("account.lastUse")}>
        {token.lastUseTime === undefined ? "–" : time(timestampDate(token.lastUseTime))}
      </td>
      <td class="nowrap" data-head={t("account.expires")}>
        {token.expireTime === undefined ? "–" : time(timestampDate(token.expireTime))}
      </td>
      <td>
        {!own && (
          <span class="row tight">
            <Act
              label={`${t("account.rotate")} ${tokenId}`}
              confirm={t("account.rotateSure")}
              act={async () => {
                props.made(await accounts.rotateToken({ tokenId }));
              }}
              done={props.again}
            >
              {t("account.rotate")}
            </Act>
            <Act
              label={`${t("account.revoke")} ${tokenId}`}
              confirm={t("account.revokeSure")}
              act={() => accounts.revokeToken({ tokenId })}
              done={props.again}
            >
              {t("account.revoke")}
            </Act>
          </span>
        )}
      </td>
    </tr>
  );
}
