import type { ThreadState } from "@berth/server";
import { Copy, CornerDownRight, Pencil, Play } from "lucide-react";
import { useState } from "react";
import { ChangeList, stateDiff } from "../../changes/index.ts";
import { Button } from "../../ui/index.ts";
import { forkThread } from "../runs/index.ts";
import { CopyButton, JsonView } from "../ui/index.ts";
import { type BranchStep, idOf } from "./branch.ts";
import { StateEditor } from "./state-editor.tsx";
import type { Beginning, Lane } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

type StepDetailProps = { step: BranchStep; lane: Lane; start: (beginning: Beginning) => Promise<unknown> };

/** A checkpoint: what it changed, its whole state, and all that can be done from it. */
export function StepDetail({ step, lane, start }: StepDetailProps) {
  const { state, before } = step;
  const [shown, setShown] = useState<"state" | "edit">();
  const turn = (part: "state" | "edit") => setShown(shown === part ? undefined : part);
  return (
    <div className="step-detail">
      {shown === "edit" ? (
        <StateEditor step={step} lane={lane} start={start} onClose={() => setShown(undefined)} />
      ) : (
        <>
          <ChangeList changes={stateDiff(before?.values ?? {}, state.values)} />
          <StepActions
            {...{ state, lane, start }}
            onEdit={() => turn("edit")}
            onState={() => turn("state")}
            isStateShown={shown === "state"}
          />
          {shown === "state" && (
            <>
              <p className="studio-note step-id">
                {WORDS.checkpoint(<code>{idOf(state)}</code>)}
                <CopyButton text={idOf(state)} label={WORDS.copyTheCheckpointsId} />
              </p>
              <JsonView value={state.values} label={WORDS.state} />
            </>
          )}
        </>
      )}
    </div>
  );
}

type StepActionsProps = {
  state: ThreadState;
  lane: Lane;
  start: (beginning: Beginning) => Promise<unknown>;
  onEdit: () => void;
  onState: () => void;
  isStateShown: boolean;
};

function StepActions({ state, lane, start, onEdit, onState, isStateShown }: StepActionsProps) {
  const { base, threadId, action, isRunning } = lane;
  const off = action.busy || isRunning;
  const fork = () =>
    action.run(async () => {
      const id = await forkThread({ base, threadId: threadId ?? "" }, idOf(state));
      lane.openThread(id);
    }, WORDS.forkHint);
  return (
    <div className="studio-buttons">
      <Button size="small" icon={<Pencil />} disabled={off} onClick={onEdit} data-testid="edit-state">
        {WORDS.editState}
      </Button>
      {state.next.length > 0 && (
        <Button
          size="small"
          icon={<Play />}
          disabled={off}
          onClick={() => start({ checkpointId: idOf(state) })}
          data-testid="run-from-here"
        >
          {WORDS.continueFromHere}
        </Button>
      )}
      <Button
        size="small"
        icon={<CornerDownRight />}
        disabled={off}
        onClick={() => lane.setFrom(state)}
        data-testid="input-from-here"
      >
        {WORDS.nextInputFromHere}
      </Button>
      <Button size="small" icon={<Copy />} disabled={off} onClick={fork} data-testid="fork">
        {WORDS.forkToANew}
      </Button>
      <Button
        size="small"
        look="quiet"
        aria-expanded={isStateShown}
        onClick={onState}
        data-testid="whole-state"
      >
        {isStateShown ? WORDS.hideTheState : WORDS.wholeState}
      </Button>
    </div>
  );
}
