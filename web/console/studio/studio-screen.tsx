import type { Assistant } from "@berth/server";
import { Columns2, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button, classes } from "../../ui/index.ts";
import { useAssistants } from "../assistant.ts";
import { useAddressQuery, useProject } from "../data/index.ts";
import { Empty, Loading, PageHead, Problem } from "../ui/index.ts";
import { GraphPanel } from "./graph-panel.tsx";
import { InputPanel } from "./input-panel.tsx";
import { FIRST, idIn, type LaneAt, SECOND, setInAddress, useLaneAt } from "./lane-at.ts";
import { LaneHead } from "./lane-head.tsx";
import { ThreadPanel } from "./thread-panel.tsx";
import type { Beginning } from "./use-lane.ts";
import { WORDS } from "./words.tsx";
import "./studio.css";

/** One assistant, or two side by side, run by hand: the graph, the input, each step, and the state at any of them. */
export function StudioScreen() {
  const { base, name } = useProject();
  const isMoved = useMoved(base);
  const query = useAddressQuery();
  const { data, error, loading, refresh } = useAssistants(base);
  const isCompared = query.get("with") !== "";
  const compare = () =>
    query.set(isCompared ? { with: null, with_thread: null } : { with: idIn(data, query.get("assistant")) });
  return (
    <>
      <PageHead
        title={WORDS.studio}
        sub={WORDS.studioNote(name)}
        actions={
          <Button
            icon={isCompared ? <X /> : <Columns2 />}
            aria-pressed={isCompared}
            onClick={compare}
            data-testid="compare"
          >
            {isCompared ? WORDS.closeTheComparison : WORDS.compareTwoRuns}
          </Button>
        }
      />
      {error && <Problem error={error} retry={refresh} />}
      {loading && <Loading label={WORDS.loadingAssistants} />}
      {data?.length === 0 && <Empty title={WORDS.noAssistantsHere} text={WORDS.noGraphHint} />}
      {data && data.length > 0 && !isMoved && (
        <Lanes key={base} base={base} assistants={data} isCompared={isCompared} />
      )}
    </>
  );
}

/** Assistants and threads of another project are none of this one: whoever changes it begins anew. */
function useMoved(base: string): boolean {
  const [known, setKnown] = useState(base);
  useEffect(() => {
    if (known === base) return;
    setInAddress({ assistant: null, thread: null, with: null, with_thread: null, checkpoint: null });
    setKnown(base);
  }, [known, base]);
  return known !== base;
}

type LanesProps = { base: string; assistants: readonly Assistant[]; isCompared: boolean };

function Lanes({ base, assistants, isCompared }: LanesProps) {
  const first = useLaneAt({ base, assistants, names: FIRST, isOn: true });
  const second = useLaneAt({ base, assistants, names: SECOND, isOn: isCompared });
  const lanes = isCompared ? [first, second] : [first];
  /** Where a setting of one lane is wrong, none of them starts. */
  const start = async (beginning: Beginning) => {
    const read = lanes.map(({ settings }) => settings.read());
    if (read.some((settings) => settings === undefined)) return;
    await Promise.all(
      lanes.map(({ lane }, at) => {
        const checkpointId = lane.from?.checkpoint.checkpoint_id;
        return lane.start({ ...beginning, checkpointId }, read[at] ?? { context: {}, configurable: {} });
      }),
    );
  };
  const input = (
    <InputPanel
      key={first.lane.assistant?.assistant_id}
      base={base}
      lanes={lanes.map(({ lane }) => lane)}
      onStart={start}
    />
  );
  if (!isCompared) return <OneLane laneAt={first} assistants={assistants} input={input} />;
  return (
    <>
      <div className="studio-both">{input}</div>
      <div className="studio-lanes">
        {lanes.map((laneAt) => (
          <section
            key={laneAt.names.assistant}
            className="studio-lane"
            aria-label={laneAt.names.label}
            data-testid={`lane-${laneAt.names.assistant}`}
          >
            <LaneHead {...laneAt} assistants={assistants} />
            <GraphPanel lane={laneAt.lane} />
            <ThreadPanel lane={laneAt.lane} settings={laneAt.settings} />
          </section>
        ))}
      </div>
    </>
  );
}

type OneLaneProps = { laneAt: LaneAt; assistants: readonly Assistant[]; input: ReactNode };

function OneLane({ laneAt, assistants, input }: OneLaneProps) {
  const { lane, settings } = laneAt;
  return (
    <div className={classes("studio-one")} data-testid="lane-assistant">
      <div className="studio-column">
        <LaneHead {...laneAt} assistants={assistants} />
        <GraphPanel lane={lane} />
      </div>
      <div className="studio-column">
        {input}
        <ThreadPanel lane={lane} settings={settings} />
      </div>
    </div>
  );
}
