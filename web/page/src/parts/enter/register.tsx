/** An account of one's own: with an invitation code, or freely, as this site has it. */
import { useId, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { accounts } from "~/api/accounts";
import { signIn } from "~/api/session";
import { Registration } from "~/gen/fudaba/v1/catalog_pb";
import { t } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { useRegistration } from "~/parts/games";

/** What makes an account; nothing where the organiser alone does. A link of the organiser has the code in it. */
export function Register() {
  const registration = useRegistration();
  const { query } = useLocation();
  const [token, setToken] = useState("");
  if (token !== "") return <Made token={token} />;
  if (registration.state !== "there") return null;
  if (registration.value !== Registration.INVITE && registration.value !== Registration.OPEN) return null;
  const invited = registration.value === Registration.INVITE;
  return (
    <details class="sheet" open={query.invitation !== undefined}>
      <summary>{t(invited ? "register.invited" : "register.open")}</summary>
      <Form invited={invited} code={query.invitation ?? ""} made={setToken} />
    </details>
  );
}

function Form(props: { invited: boolean; code: string; made: (token: string) => void }) {
  const id = useId();
  const [code, setCode] = useState(props.code);
  const [name, setName] = useState("");
  const create = async () => {
    const request = { name: name.trim(), invitationCode: props.invited ? code.trim() : "" };
    props.made((await accounts.createAccount(request)).token);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      {props.invited && (
        <>
          <label for={`${id}-code`}>
            <strong>{t("login.invitation")}</strong>
          </label>
          <input
            id={`${id}-code`}
            value={code}
            spellcheck={false}
            autocomplete="off"
            placeholder="XXXX-XXXX-XXXX"
            onInput={(event) => {
              setCode(event.currentTarget.value);
            }}
          />
        </>
      )}
      <label for={`${id}-name`}>
        <strong>{t("login.name")}</strong>
      </label>
      <input
        id={`${id}-name`}
        value={name}
        maxLength={40}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="username"
        aria-describedby={`${id}-hint`}
        onInput={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <small id={`${id}-hint`} class="quiet">
        {t("login.nameHint")}
      </small>
      <div class="row">
        <Act class="main" act={create}>
          {t("login.create")}
        </Act>
      </div>
    </form>
  );
}

/** The account's token, before it signs in: who has not kept it could not come back. */
function Made({ token }: { token: string }) {
  return (
    <section class="sheet form">
      <p>
        <strong>{t("register.made")}</strong>
      </p>
      <p>{t("register.keep")}</p>
      <Copyable text={token} label={t("account.token")} />
      <div class="row">
        <Act class="main" act={() => signIn(token)}>
          {t("register.kept")}
        </Act>
      </div>
    </section>
  );
}
