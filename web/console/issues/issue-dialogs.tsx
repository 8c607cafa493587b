import type { Issue, IssuesPage } from "@berth/server";
import { useState } from "react";
import { SelectField, TextArea, TextField } from "../../ui/index.ts";
import { api, useResource, useSubmission } from "../data/index.ts";
import { SEVERITIES } from "../issue.tsx";
import { Choices, FormDialog, Loading } from "../ui/index.ts";

const NEXT = {
  value: "next",
  label: "Fixed in the next revision",
  hint: "Revisions that are there show it still; a later one that does opens it again.",
};
const CLOSINGS = [
  { value: "fixed", label: "Fixed", hint: "It opens again by itself when a later run shows it." },
  { value: "wont_fix", label: "Won’t fix", hint: "It stays closed; further traces are linked in silence." },
  { value: "not_an_issue", label: "Not an issue", hint: "The same, and says that nothing was wrong." },
];

/** Asks how an issue is closed. */
export function CloseDialog({ issue, onClose, hasRevisions }: DialogProps & { hasRevisions: boolean }) {
  const action = useSubmission();
  const [chosen, setChosen] = useState(["fixed"]);
  const [fixed, ...others] = CLOSINGS;
  const choices = [...(fixed ? [fixed] : []), ...(hasRevisions ? [NEXT] : []), ...others];
  const isNext = chosen[0] === NEXT.value;
  const body = isNext ? { resolution: "fixed", in_next_revision: true } : { resolution: chosen[0] };
  const close = () => api<Issue>(`/v1/issues/${issue.id}/close`, { method: "POST", body });
  return (
    <FormDialog
      testId="issue-dialog"
      title="Close this issue"
      confirmText="Close issue"
      action={action}
      onClose={onClose}
      onDo={() => action.run(close, "Closed")}
    >
      <Choices legend="Because it is" choices={choices} chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}

const HOUR = 3_600_000;
const MUTES = [
  { value: String(HOUR), label: "An hour" },
  { value: String(24 * HOUR), label: "A day" },
  { value: String(7 * 24 * HOUR), label: "A week" },
  { value: "0", label: "For good" },
];

/** Asks for how long nobody wants to hear of an issue. */
export function MuteDialog({ issue, onClose }: DialogProps) {
  const action = useSubmission();
  const [chosen, setChosen] = useState([String(24 * HOUR)]);
  const mute = () => {
    const ms = Number(chosen[0]);
    const body = ms === 0 ? {} : { until: new Date(Date.now() + ms).toISOString() };
    return api<Issue>(`/v1/issues/${issue.id}/mute`, { method: "POST", body });
  };
  return (
    <FormDialog
      testId="issue-dialog"
      title="Mute this issue"
      confirmText="Mute"
      action={action}
      onClose={onClose}
      onDo={() => action.run(mute, "Muted")}
    >
      <p className="dialog-note">Traces are still linked, but no webhook and no chat hears of them.</p>
      <Choices legend="For" choices={MUTES} chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}

/** Changes what an issue says, and how bad it is. */
export function EditDialog({ issue, onClose }: DialogProps) {
  const action = useSubmission();
  const [name, setName] = useState(issue.name);
  const [description, setDescription] = useState(issue.description);
  const [severity, setSeverity] = useState(issue.severity);
  const body = {
    ...(name.trim() !== issue.name && { name: name.trim() }),
    ...(description !== issue.description && { description }),
    ...(severity !== issue.severity && { severity }),
  };
  const save = () => api<Issue>(`/v1/issues/${issue.id}`, { method: "PATCH", body });
  return (
    <FormDialog
      testId="issue-dialog"
      title="Edit this issue"
      confirmText="Save"
      isReady={name.trim() !== "" && Object.keys(body).length > 0}
      action={action}
      onClose={onClose}
      onDo={() => action.run(save, "Saved")}
    >
      <TextField
        label="Title"
        of="name"
        value={name}
        maxLength={500}
        onChange={(event) => setName(event.target.value)}
      />
      <TextArea
        label="Description"
        of="description"
        spellCheck
        rows={6}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField
        label="Severity"
        hint="The engine leaves alone what you choose here."
        value={severity}
        options={SEVERITIES.map((label, value) => ({ value, label }))}
        of="severity"
        data-testid="severity-select"
        onChange={(chosen) => setSeverity(Number(chosen))}
      />
    </FormDialog>
  );
}

type MergeProps = DialogProps & { onMerged: (into: Issue) => void };

/** Asks which issue of the same project this one is the same as. */
export function MergeDialog({ issue, onClose, onMerged }: MergeProps) {
  const action = useSubmission();
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
    <FormDialog
      testId="issue-dialog"
      title="Merge into another issue"
      confirmText="Merge"
      isReady={chosen.length === 1}
      action={action}
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
    </FormDialog>
  );
}

type SplitProps = DialogProps & {
  /** These traces; without any, some of the fingerprints. */
  traceIds: readonly string[];
  onSplit: (created: Issue) => void;
};

/** Makes another issue of some traces, or of some of what an issue is recognised by. */
export function SplitDialog({ issue, traceIds, onClose, onSplit }: SplitProps) {
  const action = useSubmission();
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
    <FormDialog
      testId="issue-dialog"
      title="Split this issue"
      confirmText="Split"
      isReady={isPart}
      action={action}
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
        of="name"
        value={name}
        placeholder={`${issue.name} (split)`}
        maxLength={500}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

/** What every question about an issue is given. */
type DialogProps = {
  issue: Issue;
  onClose: () => void;
};
