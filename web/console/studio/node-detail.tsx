import { useState } from "react";
import { SelectField } from "../../ui/index.ts";
import { SpanValue } from "../runs/index.ts";
import { Section, StatusBadge } from "../ui/index.ts";
import { isWithin } from "./graph/index.ts";
import type { NodeTask } from "./live/index.ts";
import type { Lane } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

/** A node: what went in, what came out, and whether runs stop at it. */
export function NodeDetail({ lane, node }: { lane: Lane; node: string }) {
  const done = lane.tasks.filter((task) => task.node === node);
  const [chosen, setChosen] = useState<string>();
  const task = done.find(({ id }) => id === chosen) ?? done.at(-1);
  return (
    <Section
      title={node}
      testId="node-detail"
      {...(task && { note: <StatusBadge status={STATUS[task.state]} /> })}
    >
      {!isWithin(node) && <StopsAt lane={lane} node={node} />}
      {done.length > 1 && (
        <SelectField
          label={WORDS.whichTime}
          value={task?.id ?? ""}
          options={done.map(({ id }, at) => ({ value: id, label: WORDS.placeOf(at + 1, done.length) }))}
          onChange={setChosen}
        />
      )}
      {task ? <TaskValues task={task} /> : <p className="studio-note">{WORDS.nodeNotReached}</p>}
    </Section>
  );
}

const STATUS = { running: "running", done: "success", failed: "error", waiting: "interrupted" };

function TaskValues({ task: { input, result, error, state } }: { task: NodeTask }) {
  return (
    <div className="studio-values">
      {error !== undefined && (
        <p className="studio-error" data-testid="node-error">
          {error}
        </p>
      )}
      {input !== undefined && <SpanValue title={WORDS.in} value={input} testId="node-in" />}
      {state === "done" && <SpanValue title={WORDS.out} value={result} testId="node-out" />}
    </div>
  );
}

function StopsAt({ lane: { breakpoints, setBreakpoints }, node }: { lane: Lane; node: string }) {
  const turn = (side: "before" | "after") => {
    const nodes = new Set(breakpoints[side]);
    if (!nodes.delete(node)) nodes.add(node);
    setBreakpoints({ ...breakpoints, [side]: nodes });
  };
  return (
    <div className="studio-stops">
      {(["before", "after"] as const).map((side) => (
        <label key={side} className="studio-check">
          <input
            type="checkbox"
            checked={breakpoints[side].has(node)}
            onChange={() => turn(side)}
            data-testid={`stop-${side}`}
          />
          {WORDS.stopAt(side)}
        </label>
      ))}
    </div>
  );
}
