import type { Issue, IssuesPage } from "@berth/server";
import { useState } from "react";
import { TextField } from "../../ui/index.ts";
import { api, useResource } from "../data/index.ts";
import { Choices, Loading } from "../ui/index.ts";
import { Deed, type DialogProps } from "./deed.tsx";

type MergeProps = DialogProps & { onMerged: (into: Issue) => void };

/** Asks which issue of the same project this one is the same as. */
export function MergeDialog({ issue, action, onClose, onMerged }: MergeProps) {
  const path = `/v1/issues?session_id=${issue.session_id}&order=last_seen_at&limit=100`;
  const { data } = useResource<IssuesPage>(path);
  const [chosen, setChosen] = useState<string[]>([]);
  const [sought, setSought] = useState("");
  const others = data?.resources.filter(({ id }) => id !== issue.id) ?? [];
  const found = others.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  const merge = async () => {
    const into = await api<Issue>(`/v1/issues/${issue.id}/merge`, {
      method: "POST",
      body: { into: chosen[0] },
    });
    onMerged(into);
    return into;
  };
  return (
    <Deed
      title="Merge into another issue"
      confirmText="Merge"
      isReady={chosen.length === 1}
      busy={action.busy}
      onClose={onClose}
      onDo={() => action.run(merge, "Merged")}
    >
      <p className="dialog-note">
        The other issue takes over the traces and what this one is recognised by. This one is closed.
      </p>
      {data === undefined && <Loading />}
      {data !== undefined && others.length === 0 && <p>This project has no other issue.</p>}
      {others.length > 5 && (
        <TextField label="Search" value={sought} onChange={(event) => setSought(event.target.value)} />
      )}
      {others.length > 0 && (
        <Choices
          legend="Into"
          scrolls
          choices={found.map(({ id, name, trace_count }) => ({
            value: id,
            label: name,
            hint: `${trace_count} traces`,
          }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </Deed>
  );
}

type SplitProps = DialogProps & {
  /** These traces; without any, some of the fingerprints. */
  traceIds: readonly string[];
  onSplit: (created: Issue) => void;
};

/** Makes another issue of some traces, or of some of what an issue is recognised by. */
export function SplitDialog({ issue, action, traceIds, onClose, onSplit }: SplitProps) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const byTraces = traceIds.length > 0;
  const isPart = byTraces || (chosen.length > 0 && chosen.length < issue.fingerprints.length);
  const split = async () => {
    const part = byTraces ? { trace_ids: traceIds } : { fingerprints: chosen };
    const body = { ...part, ...(name.trim() !== "" && { name: name.trim() }) };
    const created = await api<Issue>(`/v1/issues/${issue.id}/split`, { method: "POST", body });
    onSplit(created);
    return created;
  };
  return (
    <Deed
      title="Split this issue"
      confirmText="Split"
      isReady={isPart}
      busy={action.busy}
      onClose={onClose}
      onDo={() => action.run(split, "Split")}
    >
      {byTraces ? (
        <p className="dialog-note">{`${traceIds.length === 1 ? "One trace becomes" : `${traceIds.length} traces become`} an issue of its own.`}</p>
      ) : (
        <Choices
          legend="What becomes an issue of its own"
          several
          scrolls
          choices={issue.fingerprints.map(({ fingerprint, reason, message }) => ({
            value: fingerprint,
            label: reason,
            hint: message,
          }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
      <TextField
        label="Its title"
        value={name}
        placeholder={`${issue.name} (split)`}
        maxLength={500}
        onChange={(event) => setName(event.target.value)}
      />
    </Deed>
  );
}
