/** What an organiser does: ladders, accounts and invitations, and what organisers did. */
import { useLocation } from "preact-iso";
import { useState } from "preact/hooks";
import { allLadders, arena } from "~/api/arena";
import { type Ladder, LadderState } from "~/gen/fudaba/v1/arena_pb";
import { inWords } from "~/api/errors";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { SignedIn } from "~/parts/enter/sign_in";
import { Shown, useLoad } from "~/parts/load";
import { Accounts } from "~/parts/organiser/accounts";
import { Actions } from "~/parts/organiser/actions";
import { Annul } from "~/parts/organiser/annul";
import FirstLadder, { LadderForm } from "~/parts/organiser/first_ladder";
import { Now } from "~/parts/organiser/now";
import { Tabs } from "~/parts/tabs";
import { useTitle } from "~/parts/title";
import example from "../../../../docs/examples/open.toml?raw";
import "~/parts/enter/enter.css";

export default function OrganiserPage() {
  const { query, route } = useLocation();
  const tab = query.tab ?? "now";
  useTitle(t("organiser.title"));
  return (
    <>
      <h1>{t("organiser.title")}</h1>
      <SignedIn scopes={["organiser"]} why={t("organiser.why")}>
        {() => (
          <Tabs
            label={t("organiser.title")}
            tabs={[
              ["now", t("organiser.now")],
              ["ladders", t("shell.ladders")],
              ["accounts", t("organiser.accounts")],
              ["annul", t("organiser.annul")],
              ["actions", t("organiser.actions")],
            ]}
            chosen={tab}
            choose={(next) => {
              route(`/organiser?tab=${next}`);
            }}
          >
            {tab === "now" && <Now />}
            {tab === "ladders" && <Ladders />}
            {tab === "accounts" && <Accounts />}
            {tab === "annul" && <Annul />}
            {tab === "actions" && <Actions />}
          </Tabs>
        )}
      </SignedIn>
    </>
  );
}

function Ladders() {
  const all = useLoad(allLadders);
  const [begun, setBegun] = useState(false); // by the first step: the other two are for this ladder
  return (
    <Shown loaded={all}>
      {(found, again) => (
        <>
          {(begun || found.length === 0) && (
            <FirstLadder
              made={() => {
                setBegun(true);
                again();
              }}
            />
          )}
          <ul class="entries">
            {found.map((ladder) => (
              <LadderRow key={ladder.name} ladder={ladder} again={again} />
            ))}
          </ul>
          <NewLadder made={again} />
        </>
      )}
    </Shown>
  );
}

function LadderRow({ ladder, again }: { ladder: Ladder; again: () => void }) {
  const name = ladder.name;
  const paused = ladder.state === LadderState.PAUSED;
  return (
    <li class="row">
      <a href={`/ladders/${encodeURIComponent(name)}`}>{name}</a>
      <span class="quiet">{t("organiser.season", { season: ladder.season, entries: ladder.entriesPlaying })}</span>
      <Act
        act={() => (paused ? arena.resumeLadder({ ladder: name }) : arena.pauseLadder({ ladder: name }))}
        done={again}
      >
        {t(paused ? "enter.resume" : "enter.pause")}
      </Act>
      <Act
        confirm={t("organiser.closeSure", { ladder: name })}
        act={() => arena.closeSeason({ ladder: name })}
        done={again}
      >
        {t("organiser.close")}
      </Act>
    </li>
  );
}

/** A ladder's file, as `fudaba ladder new` writes it and `fudaba ladder create` takes it: checked first, then created. */
function NewLadder({ made }: { made: () => void }) {
  const [definition, setDefinition] = useState(example);
  const [said, setSaid] = useState("");
  return (
    <details class="sheet">
      <summary>{t("organiser.newLadder")}</summary>
      <LadderForm made={made} />
      <h3>{t("organiser.fileItself")}</h3>
      <label>
        {t("organiser.definition")}
        <textarea
          rows={12}
          spellcheck={false}
          value={definition}
          onInput={(event) => {
            setDefinition(event.currentTarget.value);
            setSaid("");
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
              await arena.createLadder({ definition, validateOnly: true });
              setSaid(t("organiser.isGood"));
            } catch (error) {
              setSaid(inWords(error));
            }
          }}
        >
          {t("organiser.check")}
        </Act>
        <Act class="small main" act={() => arena.createLadder({ definition })} done={made}>
          {t("organiser.create")}
        </Act>
      </div>
    </details>
  );
}
