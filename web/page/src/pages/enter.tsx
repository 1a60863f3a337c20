/** Entering a bot: an archive that the arena runs, or a program that its author runs. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { allTokens } from "~/api/accounts";
import { arena } from "~/api/arena";
import { allBots, bots } from "~/api/bots";
import { upload } from "~/api/upload";
import { inWords, wasCancelled } from "~/api/errors";
import type { Bot } from "~/gen/fudaba/v1/bots_pb";
import { SubmissionState } from "~/gen/fudaba/v1/submissions_pb";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { Entries } from "~/parts/enter/entries";
import { Remote } from "~/parts/enter/remote";
import { Submissions } from "~/parts/enter/submissions";
import { SignedIn } from "~/parts/enter/sign_in";
import { Shown, useLoad } from "~/parts/load";
import { Tabs } from "~/parts/tabs";
import { useTitle } from "~/parts/title";
import "~/parts/enter/enter.css";

/** How many uploads of a bot are listed. */
const MAX_LISTED_BOTS = 20;
/** The `bot.toml` of a bot in Python, to begin from. */
const MANIFEST = `name = "robot"
games = ["naga"]  # or "all"
# node, go, rust, java, cpp, other
language = "python"
start = ["python3", "bot.py"]
# where it has to be built:
# build = ["go", "build",
#   "-mod=vendor", "-o", "bot", "."]
`;

export default function EnterPage() {
  useTitle(t("shell.enter"));
  return (
    <>
      <h1>{t("shell.enter")}</h1>
      <SignedIn scopes={["author"]} why={t("enter.why")}>
        {() => <Ways />}
      </SignedIn>
    </>
  );
}

function Ways() {
  const { query } = useLocation();
  const [way, setWay] = useState(query.way === "remote" ? "remote" : "upload");
  const [picked, setBot] = useState(query.bot ?? "");
  const [registered, setRegistered] = useState("");
  const [tokens, setTokens] = useState(0);
  const work = useRef<HTMLElement>(null);
  useEffect(() => {
    if (registered !== "") work.current?.focus(); // the button is gone that had the focus; this is what comes next
  }, [registered]);
  const own = useLoad(allBots);
  return (
    <Shown loaded={own}>
      {(found, again) => {
        const bot = picked === "" && found.length === 1 ? (found[0]?.name ?? "") : picked;
        return (
          <>
            <p class="intro">{t("enter.steps")}</p>
            <Choice
              bots={found}
              chosen={bot}
              choose={setBot}
              made={(name) => {
                setBot(name);
                setRegistered(name);
                again();
              }}
            />
            {bot !== "" && (
              <section ref={work} tabIndex={-1} aria-label={bot}>
                <Tabs
                  label={t("enter.ways")}
                  tabs={[
                    ["upload", t("enter.upload")],
                    ["remote", t("enter.remote")],
                  ]}
                  chosen={way}
                  choose={setWay}
                >
                  {way === "upload" ? (
                    <UploadForm key={bot} bot={bot} />
                  ) : (
                    <Remote
                      key={bot}
                      bot={bot}
                      versions={found.find((candidate) => candidate.name === bot)}
                      made={() => {
                        setTokens(tokens + 1);
                      }}
                    />
                  )}
                </Tabs>
                <Standing key={`${bot} ${tokens}`} bot={bot} />
              </section>
            )}
          </>
        );
      }}
    </Shown>
  );
}

/** Where the bot is entered, and what was uploaded of it. One without any program cannot be entered. */
function Standing({ bot }: { bot: string }) {
  const read = useCallback(
    async (signal: AbortSignal) => {
      const [{ submissions }, tokens] = await Promise.all([
        arena.listSubmissions({ bot, pageSize: MAX_LISTED_BOTS }, { signal }),
        allTokens(signal, bot),
      ]);
      const accepted = submissions.some(({ state }) => state === SubmissionState.ACCEPTED);
      return { submissions, playable: accepted || tokens.length > 0 };
    },
    [bot],
  );
  return (
    <Shown loaded={useLoad(read)}>
      {({ submissions, playable }) => (
        <>
          <Entries bot={bot} playable={playable} />
          <Submissions submissions={submissions} />
        </>
      )}
    </Shown>
  );
}

/** Which bot: one of the account's own, or a new one. */
function Choice(props: { bots: Bot[]; chosen: string; choose: (bot: string) => void; made: (bot: string) => void }) {
  const [name, setName] = useState("");
  return (
    <section class="sheet form">
      {props.bots.length > 0 && (
        <fieldset>
          <legend>{t("enter.yourBots")}</legend>
          {props.bots.map((bot) => (
            <label class="choice" key={bot.name}>
              <input
                type="radio"
                name="bot"
                checked={bot.name === props.chosen}
                onChange={() => {
                  props.choose(bot.name);
                }}
              />{" "}
              {bot.name}
            </label>
          ))}
        </fieldset>
      )}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <label>
          {t("enter.newBot")}{" "}
          <input
            value={name}
            spellcheck={false}
            maxLength={40}
            onInput={(event) => {
              setName(event.currentTarget.value.trim());
            }}
          />
        </label>
        {name === "" ? (
          <small class="quiet">{t("enter.nameHint")}</small>
        ) : (
          <Act
            class="main"
            submits
            act={() => bots.createBot({ name })}
            done={() => {
              setName("");
              props.made(name);
            }}
          >
            {t("enter.register", { bot: name })}
          </Act>
        )}
      </form>
    </section>
  );
}

/** The archive, and how far it has gone. */
function UploadForm({ bot }: { bot: string }) {
  const { route } = useLocation();
  const [file, setFile] = useState<File>();
  const [message, setMessage] = useState("");
  const [sending, setSending] = useState<{ ending: AbortController; received: number }>();
  const [refused, setRefused] = useState("");
  const send = (chosen: File) => {
    const ending = new AbortController();
    setSending({ ending, received: 0 });
    setRefused("");
    upload({
      bot,
      file: chosen,
      message,
      signal: ending.signal,
      progress: (received) => {
        setSending({ ending, received });
      },
    })
      .then((submission) => {
        route(`/submissions/${encodeURIComponent(submission)}`);
      })
      .catch((error: unknown) => {
        const changed = error instanceof DOMException && error.name === "NotReadableError";
        if (!wasCancelled(error)) setRefused(changed ? t("enter.fileChanged") : inWords(error));
        setSending(undefined);
      });
  };
  return (
    <form
      class="form"
      onInput={() => {
        setRefused("");
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== undefined) send(file);
      }}
    >
      <p>{t("enter.uploadIntro")}</p>
      <details>
        <summary>{t("enter.authorsPage")}</summary>
        <pre tabIndex={0} aria-label="bot.toml">
          {MANIFEST}
        </pre>
        <p class="quiet">{t("enter.manifestHint")}</p>
      </details>
      <label>
        {t("enter.file")}{" "}
        <input
          type="file"
          required
          accept=".gz,.tgz,.zst,.zip,.py,.js,.mjs,.go,.rs,.java,.cpp,.cc"
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0]);
          }}
        />
      </label>
      <label>
        {t("enter.message")}{" "}
        <input
          value={message}
          maxLength={200}
          onInput={(event) => {
            setMessage(event.currentTarget.value);
          }}
        />
      </label>
      {refused !== "" && (
        <p class="notice bad" role="alert">
          {refused}
        </p>
      )}
      {sending === undefined ? (
        <button type="submit" class="main" disabled={file === undefined}>
          {t("enter.send")}
        </button>
      ) : (
        <div class="row">
          <progress aria-label={t("enter.sending")} value={sending.received} max={file?.size ?? 1} />
          <button
            type="button"
            class="small"
            onClick={() => {
              sending.ending.abort();
              setSending(undefined);
            }}
          >
            {t("enter.stop")}
          </button>
        </div>
      )}
    </form>
  );
}
