import type { Subscription } from "@berth/server";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button, IconButton, SelectField, TextField } from "../../ui/index.ts";
import { SEVERITIES, useSessions } from "../issue.tsx";
import { Choices } from "../ui/index.ts";
import { EVENT_TYPES, MASK, thresholdWords } from "../webhook.tsx";
import { WORDS } from "./words.tsx";

type Header = { id: number; name: string; value: string };

/** What a webhook is made with or changed to; texts as they are typed. */
export type SubscriptionDraft = {
  kind: "url" | "channel";
  target: string;
  sessionId: string;
  threshold: number;
  types: string[];
  headers: Header[];
  secret: string;
};

export const emptyDraft: SubscriptionDraft = {
  kind: "url",
  target: "",
  sessionId: "",
  threshold: 3,
  types: ["issue.created"],
  headers: [],
  secret: "",
};

/** A webhook as it is, for changing it. */
export const draftOf = (subscription: Subscription): SubscriptionDraft => ({
  kind: subscription.url === undefined ? "channel" : "url",
  target: subscription.url ?? subscription.channel ?? "",
  sessionId: subscription.session_id ?? "",
  threshold: subscription.severity_threshold,
  types: subscription.event_types,
  headers: Object.entries(subscription.headers).map(([name, value], id) => ({ id, name, value })),
  secret: "",
});

/** What is sent of a draft, to make a webhook or to change one. */
export function bodyOf({ kind, target, sessionId, threshold, types, headers, secret }: SubscriptionDraft) {
  const named = headers.filter(({ name }) => name.trim() !== "");
  return {
    [kind]: target.trim(),
    session_id: sessionId === "" ? null : sessionId,
    severity_threshold: threshold,
    event_types: types,
    ...(kind === "url" && {
      headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value.trim()])),
    }),
    ...(kind === "url" && secret !== "" && { secret }),
  };
}

export const isComplete = ({ target, types }: SubscriptionDraft) => target.trim() !== "" && types.length > 0;

const KINDS = [
  { value: "url", label: WORDS.aProgram, hint: WORDS.programHint },
  { value: "channel", label: WORDS.aChat, hint: WORDS.chatHint },
];

type WebhookFormProps = {
  draft: SubscriptionDraft;
  /** It is there already: what it is, and its secret, are changed elsewhere or not at all. */
  exists: boolean;
  onChange: (draft: SubscriptionDraft) => void;
};

/** The fields of a webhook. */
export function WebhookForm({ draft, exists, onChange }: WebhookFormProps) {
  const sessions = useSessions();
  const change = (changes: Partial<SubscriptionDraft>) => onChange({ ...draft, ...changes });
  return (
    <>
      {!exists && (
        <Choices
          legend={WORDS.receiver}
          choices={KINDS}
          chosen={[draft.kind]}
          onChange={([kind]) => change({ kind: kind === "channel" ? "channel" : "url" })}
        />
      )}
      <Target draft={draft} change={change} />
      <SelectField
        label={WORDS.severity}
        value={draft.threshold}
        options={SEVERITIES.map((_, value) => ({ value, label: thresholdWords(value) }))}
        of="severity_threshold"
        data-testid="threshold"
        onChange={(threshold) => change({ threshold: Number(threshold) })}
      />
      <Choices
        legend={WORDS.events}
        several
        choices={EVENT_TYPES}
        chosen={draft.types}
        onChange={(types) => change({ types })}
      />
      <SelectField
        label={WORDS.project}
        of="session_id"
        value={draft.sessionId}
        options={[
          { value: "", label: WORDS.allProjects },
          ...sessions.all.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(sessionId) => change({ sessionId })}
      />
      {draft.kind === "url" && (
        <Headers headers={draft.headers} onChange={(headers) => change({ headers })} />
      )}
      {draft.kind === "url" && !exists && (
        <TextField
          label={WORDS.secret}
          of="secret"
          hint={WORDS.secretHint}
          autoComplete="off"
          value={draft.secret}
          onChange={(event) => change({ secret: event.target.value })}
        />
      )}
    </>
  );
}

type TargetProps = { draft: SubscriptionDraft; change: (changes: Partial<SubscriptionDraft>) => void };

function Target({ draft: { kind, target }, change }: TargetProps) {
  const isUrl = kind === "url";
  return (
    <TextField
      label={isUrl ? WORDS.address : WORDS.channel}
      hint={isUrl ? WORDS.addressHint : WORDS.channelHint}
      placeholder={isUrl ? WORDS.addressExample : WORDS.channelExample}
      inputMode={isUrl ? "url" : "text"}
      autoComplete="off"
      spellCheck={false}
      value={target}
      of={kind}
      data-testid="target"
      onChange={(event) => change({ target: event.target.value })}
    />
  );
}

type HeadersProps = { headers: readonly Header[]; onChange: (headers: Header[]) => void };

function Headers({ headers, onChange }: HeadersProps) {
  const [next, setNext] = useState(1_000);
  const set = (id: number, changes: Partial<Header>) =>
    onChange(headers.map((header) => (header.id === id ? { ...header, ...changes } : header)));
  const add = () => {
    onChange([...headers, { id: next, name: "", value: "" }]);
    setNext(next + 1);
  };
  return (
    <fieldset className="webhook-headers">
      <legend>{WORDS.customHeadersFact}</legend>
      {headers.map(({ id, name, value }, at) => (
        <div key={id} className="webhook-header">
          <TextField
            label={WORDS.nameOfHeader(at + 1)}
            {...(name.trim() !== "" && { of: `headers.${name.trim()}` })}
            hideLabel
            placeholder={WORDS.authorization}
            value={name}
            onChange={(event) => set(id, { name: event.target.value })}
          />
          <TextField
            label={WORDS.valueOfHeader(at + 1)}
            hideLabel
            placeholder={WORDS.bearer}
            autoComplete="off"
            value={value}
            onFocus={() => value === MASK && set(id, { value: "" })}
            onChange={(event) => set(id, { value: event.target.value })}
          />
          <IconButton
            label={WORDS.removeHeader(at + 1)}
            size="small"
            onClick={() => onChange(headers.filter((other) => other.id !== id))}
          >
            <X />
          </IconButton>
        </div>
      ))}
      <Button size="small" icon={<Plus />} onClick={add}>
        {WORDS.addAHeader}
      </Button>
    </fieldset>
  );
}
