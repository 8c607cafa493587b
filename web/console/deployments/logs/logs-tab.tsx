import type { Deployment, RevisionsPage } from "@berth/server";
import { Badge, Field } from "../../../ui/index.ts";
import { useAddressQuery, useResource } from "../../data/index.ts";
import { pathOf } from "../../deployment.tsx";
import { FilterBar, Problem } from "../../ui/index.ts";
import { type LogChoice, useLog } from "./log.ts";
import { LogLines } from "./log-lines.tsx";
import "./logs-tab.css";

const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"].map((value) => ({
  value,
  label: `${value.charAt(0)}${value.slice(1).toLowerCase()} only`,
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
  const revisions = data?.resources ?? [];
  return (
    <>
      <div className="log-filters">
        <Chooser
          label="Log"
          testId="log-type"
          value={choice.type}
          options={[
            { value: "deploy", label: "What it prints" },
            { value: "build", label: "Build" },
          ]}
          onChange={(type) => query.set({ type: type === "build" ? type : null })}
        />
        <Chooser
          label="Revision"
          testId="log-revision"
          value={choice.revisionId ?? ""}
          options={[
            ...(isBuild ? [] : [{ value: "", label: "All revisions" }]),
            ...revisions.map(({ id, number }) => ({ value: id, label: `Revision ${number}` })),
          ]}
          onChange={(revision) => query.set({ revision })}
        />
        <FilterBar
          filters={[
            { name: "q", label: "Search", kind: "search", placeholder: "Search the lines" },
            { name: "level", label: "Level", kind: "choice", options: LEVELS },
          ]}
        >
          <Badge
            look={log.connected ? "positive" : "neutral"}
            data-testid="log-live"
            data-live={log.connected}
          >
            {log.connected ? "Live" : "Not live"}
          </Badge>
        </FilterBar>
      </div>
      {log.error && <Problem error={log.error} />}
      <LogLines
        log={log}
        query={choice.query}
        label={isBuild ? "Build log" : "Run-time log"}
        empty={emptyText(deployment, choice)}
      />
    </>
  );
}

function emptyText({ source }: Deployment, { type, query, level }: LogChoice): string {
  if (query !== "" || level !== "") return "No line is like that. New ones appear here as they are written.";
  if (type === "deploy") return "Nothing was printed yet. What it prints appears here as it does.";
  const isBuilt = source === "github" || source === "internal_source";
  return isBuilt
    ? "The build has not said anything yet."
    : "Templates and images are not built: nothing to say.";
}

type ChooserProps = {
  label: string;
  testId: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
};

function Chooser({ label, testId, value, options, onChange }: ChooserProps) {
  return (
    <Field label={label} hideLabel>
      {(ids) => (
        <select
          {...ids}
          className="filter-select select"
          value={value}
          data-testid={testId}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
