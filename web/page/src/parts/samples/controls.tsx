/** Buttons, fields, questions and remarks of pages. */
import { useState } from "preact/hooks";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { Copyable } from "~/parts/copy";
import { Nothing } from "~/parts/load";
import { Pager } from "~/parts/pager";
import { Tabs } from "~/parts/tabs";
import { Tag } from "~/parts/tag";
import { Term } from "~/parts/term";

const TONES = ["plain", "good", "warn", "bad", "live"] as const;
const CLASSES = ["", "main", "danger", "small", "bare"];
const NOTICES = ["", "good", "warn", "bad"];
const PAGES = { size: 10, count: 35 };

export function ControlSamples() {
  const [page, setPage] = useState(0);
  const [tab, setTab] = useState("first");
  const done = () => Promise.resolve();
  return (
    <div class="sample-controls">
      <p class="row">
        {CLASSES.map((name) => (
          <button key={name} type="button" class={name}>
            {t("parts.button")}
          </button>
        ))}
        <button type="button" disabled>
          {t("parts.disabled")}
        </button>
      </p>
      <div class="row">
        <Act act={done} confirm={t("parts.question")} class="danger">
          {t("parts.asks")}
        </Act>
        <Act act={() => Promise.reject(new Error(t("parts.refused")))}>{t("parts.refuses")}</Act>
      </div>
      <p class="row">
        {TONES.map((tone) => (
          <Tag key={tone} tone={tone}>
            {t("parts.tag")}
          </Tag>
        ))}
        <Term word={t("parts.term")} means="parts.meaning" />
      </p>
      <label class="field">
        {t("parts.field")}
        <input value={t("parts.sample")} />
        <span class="hint">{t("parts.hint")}</span>
      </label>
      <label class="row">
        <input type="checkbox" checked /> {t("parts.checkbox")}
      </label>
      {NOTICES.map((name) => (
        <p key={name} class={`notice ${name}`}>
          {t("parts.notice")}
        </p>
      ))}
      <Copyable text="fudaba up" label={t("parts.copied")} />
      <Tabs
        label={t("parts.tabs")}
        tabs={[
          ["first", t("parts.first")],
          ["second", t("parts.second")],
        ]}
        chosen={tab}
        choose={setTab}
      >
        <Nothing />
      </Tabs>
      <Pager page={page} {...PAGES} show={setPage} />
    </div>
  );
}
