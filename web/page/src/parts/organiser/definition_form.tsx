/** A file in TOML, as the command line takes it: checked first, then created. */
import { useState } from "preact/hooks";
import { inWords } from "~/api/errors";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";

export function DefinitionForm(props: {
  label: string;
  example: string;
  /** Says in words what it would begin. */
  check: (definition: string) => Promise<string>;
  create: (definition: string) => Promise<unknown>;
  /** What the button that creates it says, where that is not "Create it". */
  action?: string;
  /** Says what is asked before. */
  confirm?: (definition: string) => Promise<string>;
  made: () => void;
}) {
  const [definition, setDefinition] = useState(props.example);
  const [answer, setAnswer] = useState({ definition: "", text: "" });
  const confirm = props.confirm;
  const said = answer.definition === definition ? answer.text : ""; // the answer may come when another file stands there
  return (
    <>
      <label>
        {props.label}
        <textarea
          rows={12}
          spellcheck={false}
          value={definition}
          onInput={(event) => {
            setDefinition(event.currentTarget.value);
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
              setAnswer({ definition, text: await props.check(definition) });
            } catch (error) {
              setAnswer({ definition, text: inWords(error) });
            }
          }}
        >
          {t("organiser.check")}
        </Act>
        <Act
          class="small main"
          act={() => props.create(definition)}
          done={props.made}
          {...(confirm !== undefined && { confirm: () => confirm(definition) })}
        >
          {props.action ?? t("organiser.create")}
        </Act>
      </div>
    </>
  );
}
