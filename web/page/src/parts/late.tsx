/** What takes long says what it waits for. */
import { useEffect, useState } from "preact/hooks";
import { loadTexts, t } from "~/i18n";
import type { LateProps } from "~/parts/load";

/** This, once its texts are there. */
export async function load() {
  await loadTexts("late");
  return { Late };
}

function Late(props: LateProps) {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const ending = new AbortController();
    const look = () => {
      setOnline(navigator.onLine);
    };
    for (const event of ["online", "offline"]) window.addEventListener(event, look, { signal: ending.signal });
    return () => {
      ending.abort();
    };
  }, []);
  return <>{t(online ? (props.why ?? (props.isPart === true ? "late.page" : "late.service")) : "shell.offline")}</>;
}
