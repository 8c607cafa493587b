import type { Issue, IssuesPage } from "@berth/server";
import { useState } from "react";
import { SelectField, TextArea, TextField } from "../../ui/index.ts";
import { api, useResource, useSubmission } from "../data/index.ts";
import { SEVERITIES } from "../issue.tsx";
import { Choices, FormDialog, Loading } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

const NEXT = {
  value: "next",
  label: WORDS.fixedInTheNext,
  hint: WORDS.nextRevisionHint,
};
const CLOSINGS = [
  { value: "fixed", label: WORDS.fixed, hint: WORDS.fixedHint },
  { value: "wont_fix", label: WORDS.wontFix, hint: WORDS.wontFixHint },
  { value: "not_an_issue", label: WORDS.notAnIssue, hint: WORDS.notAnIssueHint },
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
      title={WORDS.closeThisIssue}
      confirmText={WORDS.closeIssue}
      action={action}
      onClose={onClose}
      onDo={() => action.run(close, WORDS.closedState)}
    >
      <Choices legend={WORDS.closeReason} choices={choices} chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}

const HOUR = 3_600_000;
const MUTES = [
  { value: String(HOUR), label: WORDS.anHour },
  { value: String(24 * HOUR), label: WORDS.aDay },
  { value: String(7 * 24 * HOUR), label: WORDS.aWeek },
  { value: "0", label: WORDS.forGood },
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
      title={WORDS.muteThisIssue}
      confirmText={WORDS.muteIt}
      action={action}
      onClose={onClose}
      onDo={() => action.run(mute, WORDS.muted)}
    >
      <p className="dialog-note">{WORDS.muteNote}</p>
      <Choices legend={WORDS.for} choices={MUTES} chosen={chosen} onChange={setChosen} />
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
      title={WORDS.editThisIssue}
      confirmText={WORDS.save}
      isReady={name.trim() !== "" && Object.keys(body).length > 0}
      action={action}
      onClose={onClose}
      onDo={() => action.run(save, WORDS.saved)}
    >
      <TextField
        label={WORDS.title}
        of="name"
        value={name}
        maxLength={500}
        onChange={(event) => setName(event.target.value)}
      />
      <TextArea
        label={WORDS.description}
        of="description"
        spellCheck
        rows={6}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField
        label={WORDS.severity}
        hint={WORDS.severityHint}
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
      title={WORDS.mergeIntoAnotherIssue}
      confirmText={WORDS.mergeIt}
      isReady={chosen.length === 1}
      action={action}
      onClose={onClose}
      onDo={() => action.run(merge, WORDS.merged)}
    >
      <p className="dialog-note">{WORDS.mergeNote}</p>
      {data === undefined && <Loading />}
      {data !== undefined && others.length === 0 && <p>{WORDS.noOtherIssue}</p>}
      {others.length > 5 && (
        <TextField label={WORDS.search} value={sought} onChange={(event) => setSought(event.target.value)} />
      )}
      {others.length > 0 && (
        <Choices
          legend={WORDS.into}
          scrolls
          choices={found.map(({ id, name, trace_count }) => ({
            value: id,
            label: name,
            hint: WORDS.traces(trace_count),
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
      title={WORDS.splitThisIssue}
      confirmText={WORDS.splitIt}
      isReady={isPart}
      action={action}
      onClose={onClose}
      onDo={() => action.run(split, WORDS.splitIt)}
    >
      {byTraces ? (
        <p className="dialog-note">{WORDS.tracesBecomeAnIssue(traceIds.length)}</p>
      ) : (
        <Choices
          legend={WORDS.tracesToSplit}
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
        label={WORDS.itsTitle}
        of="name"
        value={name}
        placeholder={WORDS.splitName(issue.name)}
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
