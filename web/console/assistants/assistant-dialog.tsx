import type { Assistant } from "@berth/server";
import { useState } from "react";
import { SelectField, TextField } from "../../ui/index.ts";
import { api, useSubmission } from "../data/index.ts";
import { FormDialog, JsonField } from "../ui/index.ts";
import { type AssistantDraft, bodyOf, draftOf, isReady } from "./draft.ts";
import { WORDS } from "./words.ts";

type AssistantDialogProps = {
  base: string;
  graphs: readonly string[];
  /** The one that is changed; without one, a new one is made. */
  assistant?: Assistant;
  onDone: (assistant: Assistant) => void;
  onClose: () => void;
};

/** Makes an assistant, or a new version of one. */
export function AssistantDialog({ base, graphs, assistant, onDone, onClose }: AssistantDialogProps) {
  const action = useSubmission();
  const [chosen, setDraft] = useState(() => draftOf(assistant));
  const draft = { ...chosen, graph_id: chosen.graph_id || (graphs[0] ?? "") };
  const change = (changes: Partial<AssistantDraft>) => setDraft({ ...chosen, ...changes });
  const path = assistant ? `${base}/assistants/${assistant.assistant_id}` : `${base}/assistants`;
  const save = async () => {
    const method = assistant ? "PATCH" : "POST";
    const saved = await action.run(() => api<Assistant>(path, { method, body: bodyOf(draft) }));
    if (saved) onDone(saved);
    return saved;
  };
  return (
    <FormDialog
      title={assistant ? WORDS.change(assistant.name) : WORDS.newAssistant}
      confirmText={assistant ? WORDS.saveAsNewVersion : WORDS.create}
      isReady={isReady(draft)}
      action={action}
      onDo={save}
      onClose={onClose}
      wide
      testId="assistant-dialog"
      confirmTestId="assistant-save"
    >
      <NameParts draft={draft} graphs={graphs} onChange={change} />
      <JsonParts draft={draft} isNew={!assistant} onChange={change} />
    </FormDialog>
  );
}

type NamePartsProps = {
  draft: AssistantDraft;
  graphs: readonly string[];
  onChange: (changes: Partial<AssistantDraft>) => void;
};

function NameParts({ draft, graphs, onChange }: NamePartsProps) {
  return (
    <>
      <div className="assistant-columns">
        <TextField
          label={WORDS.name}
          value={draft.name}
          autoComplete="off"
          data-testid="assistant-name"
          of="name"
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <SelectField
          label={WORDS.graph}
          value={draft.graph_id}
          options={graphs.map((graph) => ({ value: graph, label: graph }))}
          data-testid="assistant-graph"
          of="graph_id"
          onChange={(graph_id) => onChange({ graph_id })}
        />
      </div>
      <TextField
        label={WORDS.description}
        hint={WORDS.descriptionHint}
        value={draft.description}
        data-testid="assistant-description"
        of="description"
        onChange={(event) => onChange({ description: event.target.value })}
      />
    </>
  );
}

type JsonPartsProps = {
  draft: AssistantDraft;
  isNew: boolean;
  onChange: (changes: Partial<AssistantDraft>) => void;
};

function JsonParts({ draft, isNew, onChange }: JsonPartsProps) {
  return (
    <>
      <JsonField
        label={WORDS.context}
        hint={WORDS.contextHint}
        isObject
        rows={5}
        value={draft.context}
        data-testid="assistant-context"
        of="context"
        onChange={(context) => onChange({ context })}
      />
      <div className="assistant-columns">
        <JsonField
          label={WORDS.config}
          hint={WORDS.configHint}
          isObject
          rows={5}
          value={draft.config}
          data-testid="assistant-config"
          of="config"
          onChange={(config) => onChange({ config })}
        />
        <JsonField
          label={WORDS.metadata}
          hint={isNew ? WORDS.metadataHint : WORDS.metadataChangeHint}
          isObject
          rows={5}
          value={draft.metadata}
          data-testid="assistant-metadata"
          of="metadata"
          onChange={(metadata) => onChange({ metadata })}
        />
      </div>
    </>
  );
}
