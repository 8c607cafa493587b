import type { Deployment, RevisionsPage } from "@berth/server";
import { Link } from "wouter";
import { useAddressQuery, useResource } from "../data/index.ts";
import { hasAddress, originOf, pathOf, SOURCE_WORDS, useFigures } from "../deployment.tsx";
import {
  Ago,
  bytesText,
  CopyButton,
  durationText,
  type Fact,
  Facts,
  LineChart,
  Problem,
  Section,
} from "../ui/index.ts";
import { Instances } from "./instances.tsx";
import { RevisionTable } from "./revision-table.tsx";
import { Rollout, useRollout } from "./rollout.tsx";
import { WORDS } from "./words.tsx";

/** As many of the newest revisions as one looks at to see what changed. */
const NEWEST = 3;

/** How a deployment is, and what changed last. */
export function Overview({ deployment }: { deployment: Deployment }) {
  const rollout = useRollout(deployment);
  const { data } = useResource<RevisionsPage>(`${pathOf(deployment.id)}/revisions?limit=${NEWEST}`, {
    live: ["deployments"],
  });
  return (
    <>
      {rollout && <Rollout key={rollout.id} deployment={deployment} revision={rollout} />}
      <div className="overview-facts">
        {hasAddress(deployment) ? (
          <Address url={deployment.source_config.custom_url} />
        ) : (
          <p className="form-note" data-testid="no-address">
            {WORDS.noAddressYet}
          </p>
        )}
        <Facts items={factsOf(deployment)} />
      </div>
      <Instances id={deployment.id} />
      <Figures id={deployment.id} />
      <Section
        title={WORDS.latestChange}
        actions={<Link href={`/deployments/${deployment.id}/revisions`}>{WORDS.allRevisions}</Link>}
      >
        <RevisionTable deployment={deployment} revisions={data?.resources ?? []} />
      </Section>
    </>
  );
}

/** What clients take as their API URL. */
function Address({ url }: { url: string }) {
  return (
    <div className="address-bar">
      <span className="form-note">{WORDS.addressForClients}</span>
      <span className="address">
        <code data-testid="custom-url">{url}</code>
        <CopyButton text={url} label={WORDS.copyTheAddress} />
      </span>
    </div>
  );
}

function factsOf(deployment: Deployment): Fact[] {
  const { source, source_revision_config, created_at } = deployment;
  return [
    { label: SOURCE_WORDS[source], value: originOf(deployment, source_revision_config) },
    { label: WORDS.id, value: <Copied text={deployment.id} /> },
    { label: WORDS.created, value: <Ago at={created_at} /> },
  ];
}

function Copied({ text }: { text: string }) {
  return (
    <span className="address">
      <code>{text}</code>
      <CopyButton text={text} label={WORDS.copyTheId} />
    </span>
  );
}

const SPANS = [
  { value: "60", label: WORDS.lastHour },
  { value: "360", label: WORDS.last6Hours },
  { value: "1440", label: WORDS.lastDay },
];

/** Over which time the figures are. */
function SpanChoice({ span }: { span: string | undefined }) {
  const query = useAddressQuery();
  return (
    <select
      className="filter-select select"
      aria-label={WORDS.timeRange}
      value={span}
      data-testid="figures-span"
      onChange={({ target }) => query.set({ minutes: target.value === "60" ? null : target.value })}
    >
      {SPANS.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** What went through the gateway to a deployment, minute by minute. */
function Figures({ id }: { id: string }) {
  const query = useAddressQuery();
  const span = SPANS.find(({ value }) => value === query.get("minutes")) ?? SPANS[0];
  const { figures, minutes, error } = useFigures(id, Number(span?.value));
  const times = minutes.map(({ minute }) => minute);
  return (
    <Section
      title={WORDS.traffic}
      note={figures && wordsOf(figures)}
      actions={<SpanChoice span={span?.value} />}
    >
      {error && <Problem error={error} />}
      <div className="charts">
        <LineChart
          label={WORDS.requestsAndErrors}
          unit=""
          height={140}
          times={times}
          series={[
            { name: WORDS.requests, values: minutes.map(({ requests }) => requests) },
            { name: WORDS.errors, values: minutes.map(({ errors }) => errors) },
          ]}
        />
        <LineChart
          label={WORDS.firstByteTime}
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
          label={WORDS.memory}
          unit=""
          height={140}
          times={times}
          format={bytesText}
          series={[{ name: WORDS.memory, values: minutes.map(({ memory_bytes }) => memory_bytes) }]}
        />
      </div>
    </Section>
  );
}

function wordsOf({ requests, errors }: { requests: number; errors: number }): string {
  if (requests === 0) return WORDS.noRequests;
  return WORDS.requestsAndErrorsCount(requests, errors);
}
