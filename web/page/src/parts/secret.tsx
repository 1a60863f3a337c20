/** A secret that the service tells once: it stays on the screen until its reader says that they have kept it. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { t } from "~/i18n";

/** The number of secrets on the screen that are not ticked. */
let unticked = 0;

function ask(event: BeforeUnloadEvent) {
  if (unticked > 0) event.preventDefault();
}

/** Shows a secret as `children`, and asks for a tick before it goes. Who leaves the page before is asked whether to. */
export function Secret(props: { children: ComponentChildren; kept?: () => void; next?: ComponentChildren }) {
  const [ticked, setTicked] = useState(false);
  // In the same step as the secret is shown: nobody leaves between the two unasked.
  useLayoutEffect(() => {
    if (ticked) return undefined;
    unticked += 1;
    // It stays: the browser would ask nobody in the moment in which another secret takes this one's place.
    window.addEventListener("beforeunload", ask);
    return () => {
      unticked -= 1;
    };
  }, [ticked]);
  return (
    <div class="notice good" role="status">
      <p>{t("account.tokenMade")}</p>
      {props.children}
      <label class="choice">
        <input
          type="checkbox"
          checked={ticked}
          onChange={(event) => {
            setTicked(event.currentTarget.checked);
          }}
        />{" "}
        {t("account.secretKept")}
      </label>
      {ticked &&
        (props.next ?? (
          <button type="button" class="small" onClick={props.kept}>
            {t("account.secretHide")}
          </button>
        ))}
    </div>
  );
}
