/** What is to be pasted elsewhere: a text with a button that copies it, or the button alone. */
import { useState } from "preact/hooks";
import { t } from "~/i18n";
import "~/parts/copy.css";

export function Copyable(props: { text: string; label: string }) {
  return (
    <div class="copyable">
      <pre aria-label={props.label} tabIndex={0}>
        <code>{props.text}</code>
      </pre>
      <Copy small label={t("shell.copy")} text={() => props.text} />
    </div>
  );
}

/** A button that copies a text, and says so. Where nothing may be copied it shows the text. */
export function Copy({ label, text, small = false }: { label: string; text: () => string; small?: boolean }) {
  const [said, setSaid] = useState<{ copied: boolean; text: string }>();
  const copy = async () => {
    const wanted = text();
    try {
      await navigator.clipboard.writeText(wanted);
      setSaid({ copied: true, text: wanted });
    } catch {
      setSaid({ copied: false, text: wanted }); // without https there is no clipboard
    }
  };
  return (
    <span class="copy">
      <button type="button" class={small ? "small" : ""} onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">
        {said?.copied === true && t("shell.copied")}
        {said?.copied === false && <input readOnly value={said.text} aria-label={label} />}
      </span>
    </span>
  );
}
