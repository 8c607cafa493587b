import type { GraphDrawing } from "@berth/server";
import { useState } from "react";
import { useResource } from "../data/index.ts";
import { Loading, Problem } from "../ui/index.ts";
import { GraphView } from "./graph/index.ts";
import { lightsOf } from "./live/index.ts";
import { NodeDetail } from "./node-detail.tsx";
import type { Lane } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

/** The graph of a lane, lit by its newest run, and the node that was clicked. */
export function GraphPanel({ lane }: { lane: Lane }) {
  const { base, assistant, tasks, isRunning, isAtRest, breakpoints, history } = lane;
  const [isDeep, setDeep] = useState(true);
  const [selected, setSelected] = useState<string>();
  const path = assistant && `${base}/assistants/${assistant.assistant_id}/graph?xray=${isDeep}`;
  const { data, error, refresh } = useResource<GraphDrawing>(path ?? null);
  if (error) return <Problem error={error} retry={refresh} title={WORDS.graphNotDrawn} />;
  if (!data) return <Loading label={WORDS.loadingTheGraph} />;
  const node = data.nodes.some(({ id }) => id === selected) ? selected : undefined;
  return (
    <>
      <GraphView
        drawing={data}
        lights={lightsOf(tasks, isRunning)}
        next={new Set(isAtRest ? history.head?.next : [])}
        stops={new Set([...breakpoints.before, ...breakpoints.after])}
        selected={node}
        onSelect={(id) => setSelected(id === selected ? undefined : id)}
      >
        <label className="studio-check">
          <input
            type="checkbox"
            checked={isDeep}
            onChange={() => setDeep(!isDeep)}
            data-testid="show-subgraphs"
          />
          {WORDS.subgraphs}
        </label>
      </GraphView>
      {node !== undefined && <NodeDetail lane={lane} node={node} />}
    </>
  );
}
