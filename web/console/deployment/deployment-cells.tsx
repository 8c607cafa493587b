import { bytesText, durationText, Sparkline } from "../ui/index.ts";
import { errorRate, useFigures } from "./figures.ts";

/** As much as a row of the list looks at; the cells of a row share one request. */
const MINUTES = 60;

/** Requests of the last hour, as a number and a line. */
export function DeploymentTraffic({ id }: { id: string }) {
  const { figures, minutes } = useFigures(id, MINUTES);
  if (!figures) return null;
  const values = minutes.map(({ requests }) => requests);
  const label = `${figures.requests} requests in the last hour`;
  return (
    <span className="deployment-traffic">
      <Sparkline values={figures.requests === 0 ? [] : values} label={label} />
      <span>{figures.requests}</span>
    </span>
  );
}

export function DeploymentErrors({ id }: { id: string }) {
  const { figures } = useFigures(id, MINUTES);
  if (!figures) return null;
  return <span className={figures.errors > 0 ? "figure-bad" : undefined}>{errorRate(figures)}</span>;
}

export function DeploymentLatency({ id }: { id: string }) {
  const { figures } = useFigures(id, MINUTES);
  if (!figures) return null;
  return figures.p95_ms === null ? "–" : durationText(figures.p95_ms);
}

export function DeploymentMemory({ id }: { id: string }) {
  const { figures } = useFigures(id, MINUTES);
  return figures ? bytesText(figures.memory_bytes) : null;
}
