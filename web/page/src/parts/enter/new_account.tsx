/** What a new account needs: its name and, where one is asked for, an invitation code. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";

export function NewAccount(props: {
  /** What stands there already. */
  name?: string;
  code?: string;
  /** Whether a code is asked for, and what is said of it. */
  invited: boolean;
  hint?: string;
  create: (name: string, code: string) => Promise<unknown>;
  /** What stands above. */
  children?: ComponentChildren;
}) {
  const [name, setName] = useState(props.name ?? "");
  const [code, setCode] = useState(props.code ?? "");
  const create = () => props.create(name.trim(), props.invited ? code.trim() : "");
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      {props.children}
      {props.invited && (
        <Field label={t("login.invitation")} hint={props.hint} value={code} set={setCode} autocomplete="off" />
      )}
      <Field label={t("login.name")} hint={t("login.nameHint")} value={name} set={setName} autocomplete="username" />
      <div class="row">
        <Act class="main" submits act={create}>
          {t("login.create")}
        </Act>
      </div>
    </form>
  );
}

function Field(props: {
  label: string;
  hint: string | undefined;
  value: string;
  set: (value: string) => void;
  autocomplete: "off" | "username";
}) {
  const id = useId();
  return (
    <>
      <label for={id}>
        <strong>{props.label}</strong>
      </label>
      <input
        id={id}
        value={props.value}
        maxLength={40}
        spellcheck={false}
        autocapitalize="none"
        autocomplete={props.autocomplete}
        {...(props.hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
        onInput={(event) => {
          props.set(event.currentTarget.value);
        }}
      />
      {props.hint !== undefined && (
        <small id={`${id}-hint`} class="quiet">
          {props.hint}
        </small>
      )}
    </>
  );
}
