import type { Issue } from "@berth/server";
import { useState } from "react";
import { Field, TextField } from "../../ui/index.ts";
import { api } from "../data/index.ts";
import { SEVERITIES } from "../issue/index.ts";
import { Choices } from "../ui/index.ts";
import { Deed, type DialogProps } from "./deed.tsx";

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
export function CloseDialog({
  issue,
  action,
  onClose,
  hasRevisions,
}: DialogProps & { hasRevisions: boolean }) {
  const [chosen, setChosen] = useState(["fixed"]);
  const [fixed, ...others] = CLOSINGS;
  const choices = [...(fixed ? [fixed] : []), ...(hasRevisions ? [NEXT] : []), ...others];
  const isNext = chosen[0] === NEXT.value;
  const body = isNext ? { resolution: "fixed", in_next_revision: true } : { resolution: chosen[0] };
  const close = () => api<Issue>(`/v1/issues/${issue.id}/close`, { method: "POST", body });
  return (
    <Deed
      title="Close this issue"
      confirmText="Close issue"
      busy={action.busy}
      onClose={onClose}
      onDo={() => action.run(close, "Closed")}
    >
      <Choices legend="Because it is" choices={choices} chosen={chosen} onChange={setChosen} />
    </Deed>
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
export function MuteDialog({ issue, action, onClose }: DialogProps) {
  const [chosen, setChosen] = useState([String(24 * HOUR)]);
  const mute = () => {
    const ms = Number(chosen[0]);
    const body = ms === 0 ? {} : { until: new Date(Date.now() + ms).toISOString() };
    return api<Issue>(`/v1/issues/${issue.id}/mute`, { method: "POST", body });
  };
  return (
    <Deed
      title="Mute this issue"
      confirmText="Mute"
      busy={action.busy}
      onClose={onClose}
      onDo={() => action.run(mute, "Muted")}
    >
      <p className="dialog-note">Traces are still linked, but no webhook and no chat hears of them.</p>
      <Choices legend="For" choices={MUTES} chosen={chosen} onChange={setChosen} />
    </Deed>
  );
}

/** Changes what an issue says, and how bad it is. */
export function EditDialog({ issue, action, onClose }: DialogProps) {
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
    <Deed
      title="Edit this issue"
      confirmText="Save"
      isReady={name.trim() !== "" && Object.keys(body).length > 0}
      busy={action.busy}
      onClose={onClose}
      onDo={() => action.run(save, "Saved")}
    >
      <TextField
        label="Title"
        value={name}
        maxLength={500}
        onChange={(event) => setName(event.target.value)}
      />
      <Field label="Description">
        {(ids) => (
          <textarea
            {...ids}
            className="text-area"
            rows={6}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <Field label="Severity" hint="The engine leaves alone what you choose here.">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={severity}
            data-testid="severity-select"
            onChange={(event) => setSeverity(Number(event.target.value))}
          >
            {SEVERITIES.map((word, at) => (
              <option key={word} value={at}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
    </Deed>
  );
}
