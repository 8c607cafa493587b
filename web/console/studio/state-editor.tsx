import { Play, Save } from "lucide-react";
import { useState } from "react";
import { Button, SelectField } from "../../ui/index.ts";
import { JsonField, objectFault, readObject } from "../ui/index.ts";
import { type BranchStep, writersOf } from "./branch.ts";
import { takenAway } from "./state-edit.ts";
import type { Beginning, Lane } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

type StateEditorProps = {
  step: BranchStep;
  lane: Lane;
  start: (beginning: Beginning) => Promise<unknown>;
  onClose: () => void;
};

/** The state of a checkpoint to change: what is saved is a checkpoint of its own, on a branch from there. */
export function StateEditor({ step, lane, start, onClose }: StateEditorProps) {
  const { state } = step;
  const [text, setText] = useState(() => JSON.stringify(state.values, null, 2));
  const [asNode, setAsNode] = useState(() => usualNode(step));
  const fault = objectFault(text);
  const wanted = fault === undefined ? readObject(text) : undefined;
  const gone = wanted ? takenAway({ ...Object(state.values) }, wanted) : [];
  const isReady = wanted !== undefined && gone.length === 0 && !lane.action.busy;
  const save = () => lane.edit(state, wanted ?? {}, asNode || undefined);
  const saveAndRun = async () => {
    const checkpointId = await save();
    if (checkpointId === undefined) return;
    onClose();
    await start({ checkpointId });
  };
  return (
    <div className="studio-form" data-testid="state-editor">
      <JsonField
        label={WORDS.state}
        isObject
        rows={Math.min(24, text.split("\n").length + 1)}
        value={text}
        onChange={setText}
        autoFocus
        data-testid="state-text"
      />
      {gone.length > 0 && (
        <p role="alert" className="field-error">
          {WORDS.valueRemoved(gone.join(", "))}
        </p>
      )}
      <AsNode step={step} value={asNode} onChange={setAsNode} />
      <EditorButtons
        isReady={isReady}
        onRun={saveAndRun}
        onSave={async () => (await save()) !== undefined && onClose()}
        onClose={onClose}
      />
    </div>
  );
}

type EditorButtonsProps = {
  isReady: boolean;
  onRun: () => void;
  onSave: () => void;
  onClose: () => void;
};

function EditorButtons({ isReady, onRun, onSave, onClose }: EditorButtonsProps) {
  return (
    <div className="studio-buttons">
      <Button look="primary" icon={<Play />} disabled={!isReady} onClick={onRun} data-testid="save-and-run">
        {WORDS.saveAndContinue}
      </Button>
      <Button icon={<Save />} disabled={!isReady} onClick={onSave} data-testid="save-state">
        {WORDS.save}
      </Button>
      <Button look="quiet" onClick={onClose}>
        {WORDS.cancel}
      </Button>
    </div>
  );
}

type AsNodeProps = { step: BranchStep; value: string; onChange: (node: string) => void };

/** Whose work the change counts as: what follows that node runs next. */
function AsNode({ step, value, onChange }: AsNodeProps) {
  const nodes = [...new Set([...writersOf(step), ...step.state.next, "__start__"])];
  return (
    <SelectField
      label={WORDS.asIfWritten}
      hint={WORDS.writerHint}
      value={value}
      options={[
        ...(value === "" ? [{ value: "", label: WORDS.lastWriter }] : []),
        ...nodes.map((node) => ({ value: node, label: node === "__start__" ? WORDS.inputWriter : node })),
      ]}
      onChange={onChange}
      data-testid="as-node"
    />
  );
}

/** The node that the checkpoint is of, where that is one. */
function usualNode(step: BranchStep): string {
  const { source, step: number } = step.state.metadata;
  const writers = writersOf(step);
  if (source === "input" || number === 0) return "__start__";
  return writers.length === 1 ? (writers[0] ?? "") : "";
}
