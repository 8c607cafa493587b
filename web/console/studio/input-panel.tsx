import { Footprints, Play, Square, X } from "lucide-react";
import { type FormEvent, useMemo } from "react";
import { FormFields, fieldsOf, useSchemaForm } from "../../form/index.ts";
import { Button } from "../../ui/index.ts";
import { Loading, Problem, Section } from "../ui/index.ts";
import { useSchemas } from "./settings.tsx";
import type { Beginning, Lane } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

type InputPanelProps = { base: string; lanes: readonly Lane[]; onStart: (beginning: Beginning) => void };

/** What a run begins with: a form that the graph's input describes. */
export function InputPanel({ base, lanes, onStart }: InputPanelProps) {
  const schemas = useSchemas(base, lanes[0]?.assistant);
  if (schemas.error) return <Problem error={schemas.error} retry={schemas.refresh} />;
  if (!schemas.data) return <Loading label={WORDS.loadingTheInput} />;
  return <InputForm schema={schemas.data.input_schema} lanes={lanes} onStart={onStart} />;
}

type InputFormProps = {
  schema: Record<string, unknown> | null;
  lanes: readonly Lane[];
  onStart: (beginning: Beginning) => void;
};

function InputForm({ schema, lanes, onStart }: InputFormProps) {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const form = useSchemaForm(fields);
  const isRunning = lanes.some((lane) => lane.isRunning);
  const busy = lanes.some(({ action }) => action.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = isRunning || busy ? undefined : form.read();
    if (read) onStart({ input: read.value });
  };
  return (
    <Section title={WORDS.input} testId="input-panel">
      <form className="studio-form" onSubmit={submit}>
        {lanes.map((lane) => (
          <From key={lane.threadId ?? ""} lane={lane} />
        ))}
        <FormFields form={form} />
        <div className="studio-buttons">
          <Button
            look="primary"
            type="submit"
            icon={<Play />}
            disabled={isRunning || busy}
            data-testid="studio-run"
          >
            {lanes.length > 1 ? WORDS.runBoth : WORDS.run}
          </Button>
          {isRunning && (
            <Button
              icon={<Square />}
              onClick={() => lanes.filter((lane) => lane.isRunning).map((lane) => lane.stop())}
              data-testid="studio-stop"
            >
              {WORDS.stop}
            </Button>
          )}
          <StepByStep lanes={lanes} />
        </div>
      </form>
    </Section>
  );
}

/** Says where the input goes, where that is not the end of the thread. */
function From({ lane }: { lane: Lane }) {
  const { from, setFrom } = lane;
  if (!from) return null;
  return (
    <p className="studio-from" data-testid="from">
      {WORDS.branchesOffAt(String(from.metadata.step))}
      <Button size="small" look="quiet" icon={<X />} onClick={() => setFrom(undefined)}>
        {WORDS.fromTheEndInstead}
      </Button>
    </p>
  );
}

function StepByStep({ lanes }: { lanes: readonly Lane[] }) {
  const isOn = lanes.every(({ breakpoints }) => breakpoints.everyStep);
  const turn = () => {
    for (const { breakpoints, setBreakpoints } of lanes) setBreakpoints({ ...breakpoints, everyStep: !isOn });
  };
  return (
    <label className="studio-check">
      <input type="checkbox" checked={isOn} onChange={turn} data-testid="step-by-step" />
      <Footprints aria-hidden="true" />
      {WORDS.stopBeforeEachNode}
    </label>
  );
}
