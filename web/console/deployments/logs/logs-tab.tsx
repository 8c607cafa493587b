import type { Deployment, Revision, RevisionsPage } from "@berth/server";
import { Download } from "lucide-react";
import { Badge, Button, SelectField } from "../../../ui/index.ts";
import { saveText, useAction, useAddressQuery, useResource } from "../../data/index.ts";
import { pathOf } from "../../deployment.tsx";
import { FilterBar, Problem } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { type LogChoice, logText, useLog } from "./log.ts";
import { LogLines } from "./log-lines.tsx";
import "./logs-tab.css";

const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"].map((value) => ({
  value,
  label: WORDS.onlyLevel(value.charAt(0), value.slice(1).toLowerCase()),
}));

/** What the builds and the processes of a deployment said, and say. */
export function LogsTab({ deployment }: { deployment: Deployment }) {
  const query = useAddressQuery();
  const { data } = useResource<RevisionsPage>(`${pathOf(deployment.id)}/revisions?limit=100`, {
    live: ["deployments"],
  });
  const isBuild = query.get("type") === "build";
  const choice: LogChoice = {
    deploymentId: deployment.id,
    type: isBuild ? "build" : "deploy",
    revisionId: query.get("revision") || (isBuild ? deployment.latest_revision_id : null),
    query: query.get("q"),
    level: query.get("level"),
  };
  const nothingToRead = isBuild && choice.revisionId === null;
  const log = useLog(nothingToRead ? null : choice);
  return (
    <>
      <LogFilters choice={choice} revisions={data?.resources ?? []} isLive={log.connected} />
      {log.error && <Problem error={log.error} />}
      <LogLines
        log={log}
        query={choice.query}
        label={isBuild ? WORDS.buildLog : WORDS.runTimeLog}
        empty={emptyText(deployment, choice)}
      />
    </>
  );
}

type LogFiltersProps = { choice: LogChoice; revisions: readonly Revision[]; isLive: boolean };

/** Which log is read, and what of it. */
function LogFilters({ choice, revisions, isLive }: LogFiltersProps) {
  const query = useAddressQuery();
  return (
    <div className="log-filters">
      <SelectField
        className="filter-select select"
        hideLabel
        label={WORDS.log}
        data-testid="log-type"
        value={choice.type}
        options={[
          { value: "deploy", label: WORDS.output },
          { value: "build", label: WORDS.build },
        ]}
        onChange={(type) => query.set({ type: type === "build" ? type : null })}
      />
      <SelectField
        className="filter-select select"
        hideLabel
        label={WORDS.revision}
        data-testid="log-revision"
        value={choice.revisionId ?? ""}
        options={[
          ...(choice.type === "build" ? [] : [{ value: "", label: WORDS.allRevisions }]),
          ...revisions.map(({ id, number }) => ({ value: id, label: WORDS.revisionNumber(number) })),
        ]}
        onChange={(revision) => query.set({ revision })}
      />
      <FilterBar
        filters={[
          { name: "q", label: WORDS.search, kind: "search", placeholder: WORDS.searchTheLines },
          { name: "level", label: WORDS.level, kind: "choice", options: LEVELS },
        ]}
      >
        <SaveLog choice={choice} />
        <Badge look={isLive ? "positive" : "neutral"} data-testid="log-live" data-live={isLive}>
          {isLive ? WORDS.live : WORDS.notLive}
        </Badge>
      </FilterBar>
    </div>
  );
}

/** What is looked at, as a file; the filters hold for it, too. */
function SaveLog({ choice }: { choice: LogChoice }) {
  const { run, busy } = useAction();
  const save = () =>
    run(async () => saveText(await logText(choice), `${choice.type === "build" ? "build" : "run"}-log.txt`));
  return (
    <Button
      size="small"
      look="quiet"
      icon={<Download />}
      disabled={busy || (choice.type === "build" && choice.revisionId === null)}
      onClick={save}
      data-testid="log-save"
    >
      {WORDS.downloadLog}
    </Button>
  );
}

function emptyText({ source }: Deployment, { type, query, level }: LogChoice): string {
  if (query !== "" || level !== "") return WORDS.noLinesMatch;
  if (type === "deploy") return WORDS.noOutputSoFar;
  const isBuilt = source === "github" || source === "internal_source";
  return isBuilt ? WORDS.noBuildOutput : WORDS.noBuildNeeded;
}
