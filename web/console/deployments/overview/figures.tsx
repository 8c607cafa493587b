import { useAddressQuery } from "../../data/index.ts";
import { useFigures } from "../../deployment/index.ts";
import { bytesText, durationText, LineChart, Problem, Section } from "../../ui/index.ts";

const SPANS = [
  { value: "60", label: "Last hour" },
  { value: "360", label: "Last 6 hours" },
  { value: "1440", label: "Last day" },
];

/** What went through the gateway to a deployment, minute by minute. */
export function Figures({ id }: { id: string }) {
  const query = useAddressQuery();
  const span = SPANS.find(({ value }) => value === query.get("minutes")) ?? SPANS[0];
  const { figures, minutes, error } = useFigures(id, Number(span?.value));
  const times = minutes.map(({ minute }) => minute);
  return (
    <Section
      title="Traffic"
      note={figures && wordsOf(figures)}
      actions={
        <select
          className="filter-select select"
          aria-label="Over which time"
          value={span?.value}
          data-testid="figures-span"
          onChange={({ target }) => query.set({ minutes: target.value === "60" ? null : target.value })}
        >
          {SPANS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      }
    >
      {error && <Problem error={error} />}
      <div className="charts">
        <LineChart
          label="Requests and errors by minute"
          unit=""
          height={140}
          times={times}
          series={[
            { name: "Requests", values: minutes.map(({ requests }) => requests) },
            { name: "Errors", values: minutes.map(({ errors }) => errors) },
          ]}
        />
        <LineChart
          label="Time to the first byte"
          unit="ms"
          height={140}
          times={times}
          format={durationText}
          series={[
            { name: "p50", values: minutes.map(({ p50_ms }) => p50_ms) },
            { name: "p95", values: minutes.map(({ p95_ms }) => p95_ms) },
          ]}
        />
        <LineChart
          label="Memory"
          unit=""
          height={140}
          times={times}
          format={bytesText}
          series={[{ name: "Memory", values: minutes.map(({ memory_bytes }) => memory_bytes) }]}
        />
      </div>
    </Section>
  );
}

function wordsOf({ requests, errors }: { requests: number; errors: number }): string {
  if (requests === 0) return "No requests through the gateway in this time.";
  return `${requests} ${requests === 1 ? "request" : "requests"}, ${errors} answered with an error.`;
}
