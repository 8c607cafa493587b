import type { Deployment, RevisionsPage } from "@berth/server";
import { Link } from "wouter";
import { useResource } from "../../data/index.ts";
import { hasAddress, originOf, pathOf, SOURCE_WORDS } from "../../deployment/index.ts";
import { Ago, CopyButton, type Fact, Facts, Section } from "../../ui/index.ts";
import { RevisionTable } from "../revisions/index.ts";
import { Figures } from "./figures.tsx";
import { Rollout } from "./rollout.tsx";
import { useRollout } from "./use-rollout.ts";

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
            It has no address yet: nothing of it serves.
          </p>
        )}
        <Facts items={factsOf(deployment)} />
      </div>
      <Figures id={deployment.id} />
      <Section
        title="What changed last"
        actions={<Link href={`/deployments/${deployment.id}/revisions`}>All revisions</Link>}
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
      <span className="form-note">Address for clients</span>
      <span className="address">
        <code data-testid="custom-url">{url}</code>
        <CopyButton text={url} label="Copy the address" />
      </span>
    </div>
  );
}

function factsOf(deployment: Deployment): Fact[] {
  const { source, source_revision_config, created_at } = deployment;
  return [
    { label: SOURCE_WORDS[source], value: originOf(deployment, source_revision_config) },
    { label: "Id", value: <Copied text={deployment.id} /> },
    { label: "Created", value: <Ago at={created_at} /> },
  ];
}

function Copied({ text }: { text: string }) {
  return (
    <span className="address">
      <code>{text}</code>
      <CopyButton text={text} label="Copy the id" />
    </span>
  );
}
