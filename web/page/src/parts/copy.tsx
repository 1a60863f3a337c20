/** Text to paste elsewhere, with a button that copies it. */
import { useState } from "preact/hooks";
import { t } from "~/i18n";
import "~/parts/copy.css";

export function Copyable(props: { text: string; label: string }) {
  const [copied, setCopied] = useState("");
  return (
    <div class="copyable">
      <pre aria-label={props.label} tabIndex={0}>
        <code>{props.text}</code>
      </pre>
      <button
        type="button"
        class="small"
        onClick={() => {
          void navigator.clipboard.writeText(props.text).then(() => {
            setCopied(props.text);
          });
        }}
      >
        {t(copied === props.text ? "shell.copied" : "shell.copy")}
      </button>
    </div>
  );
}
