/** A bot, found by its name: whose it is, given to another account, and the folders that its versions keep. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useCallback, useState } from "preact/hooks";
import { accounts } from "~/api/accounts";
import { arena } from "~/api/arena";
import { bots } from "~/api/bots";
import type { Bot } from "~/gen/fudaba/v1/bots_pb";
import type { KeptFolder } from "~/gen/fudaba/v1/submissions_pb";
import { number, t, time } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { LooksLike } from "~/parts/looks_like";
import { CommandLine } from "~/parts/organiser/command_line";
import { Searched } from "~/parts/organiser/search";

export function Bots() {
  return (
    <Searched label={t("organiser.searchBot")}>
      {(name) => (name === "" ? <p class="quiet">{t("organiser.botsIntro")}</p> : <Found key={name} name={name} />)}
    </Searched>
  );
}

function Found({ name }: { name: string }) {
  const read = useLoad(useCallback((signal: AbortSignal) => bots.getBot({ bot: name }, { signal }), [name]));
  return (
    <Shown loaded={read}>
      {({ bot }, again) =>
        bot === undefined ? (
          <Nothing />
        ) : (
          <section class="sheet">
            <h2 class="row">
              <a href={`/bots/${encodeURIComponent(bot.name)}`}>{bot.name}</a>
              <LooksLike other={bot.looksLike} />
            </h2>
            <Owner bot={bot} again={again} />
            <Kept bot={bot.name} />
          </section>
        )
      }
    </Shown>
  );
}

/** Whose a bot is. Nothing in the field is no account: taking a bot from everybody has a button of its own. */
function Owner({ bot, again }: { bot: Bot; again: () => void }) {
  const [account, setAccount] = useState("");
  const wanted = account.trim();
  const values = { bot: bot.name, versions: bot.versions.length, owner: bot.account, account: wanted };
  return (
    <div class="form">
      <p>{bot.account === "" ? t("organiser.ownedByNobody", values) : t("organiser.ownedBy", values)}</p>
      <label>
        {t("organiser.newOwner")}
        <input
          value={account}
          spellcheck={false}
          autocapitalize="none"
          onInput={(event) => {
            setAccount(event.currentTarget.value);
          }}
        />
      </label>
      {wanted !== "" && wanted !== bot.account && (
        <>
          <Act
            key={wanted}
            confirm={t(bot.account === "" ? "organiser.assignFirst" : "organiser.assignSure", values)}
            act={() => accounts.assignBot({ bot: bot.name, account: wanted })}
            done={again}
          >
            {t("organiser.assign")}
          </Act>
          <CommandLine lines={[["fudaba", "bot", "assign", bot.name, wanted]]} />
        </>
      )}
      {bot.account !== "" && (
        <>
          <Act
            confirm={t("organiser.unassignSure", values)}
            act={() => accounts.assignBot({ bot: bot.name, account: "" })}
            done={again}
          >
            {t("organiser.unassign")}
          </Act>
          <CommandLine lines={[["fudaba", "bot", "assign", bot.name, "--nobody"]]} />
        </>
      )}
    </div>
  );
}

/** The folders that versions of a bot keep from match to match. */
function Kept({ bot }: { bot: string }) {
  const read = useLoad(useCallback((signal: AbortSignal) => arena.listKeptFolders({ bot }, { signal }), [bot]));
  return (
    <>
      <h3>{t("organiser.kept")}</h3>
      <Shown loaded={read}>
        {({ folders }, again) =>
          folders.length === 0 ? (
            <Nothing>{t("organiser.keptNone")}</Nothing>
          ) : (
            <ul class="entries" aria-label={t("organiser.kept")}>
              {folders.map((folder) => (
                <li key={`${folder.ladder} ${folder.version}`}>
                  <Folder bot={bot} folder={folder} again={again} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

function Folder({ bot, folder, again }: { bot: string; folder: KeptFolder; again: () => void }) {
  const { ladder, version, updateTime } = folder;
  const size = (kept: KeptFolder) => ({ files: kept.files, size: number(Number(kept.size) / 1000, 1) });
  const values = { bot: `${bot}@${version}`, ladder };
  return (
    <>
      <div class="row">
        <strong>{values.bot}</strong>
        <span>{ladder}</span>
        <span class="quiet">{t("organiser.keptSize", size(folder))}</span>
        {updateTime !== undefined && <span class="quiet">{time(timestampDate(updateTime))}</span>}
        <Act
          confirm={async () => {
            const { folders } = await arena.listKeptFolders({ bot, version });
            const now = folders.find((kept) => kept.ladder === ladder && kept.version === version);
            return t("organiser.emptySure", { ...values, ...size(now ?? folder) });
          }}
          act={() => arena.emptyKeptFolder({ bot, version, ladder })}
          done={again}
        >
          {t("organiser.empty")}
        </Act>
      </div>
      <CommandLine lines={[["fudaba", "bot", "kept", values.bot, "--empty", ladder]]} />
    </>
  );
}
