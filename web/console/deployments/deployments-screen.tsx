import type { Deployment } from "@berth/server";
import { Plus, Rocket } from "lucide-react";
import { Link } from "wouter";
import { useAddressQuery, usePages } from "../data/index.ts";
import {
  DeploymentErrors,
  DeploymentLatency,
  DeploymentMemory,
  DeploymentState,
  DeploymentTraffic,
  originOf,
  SOURCE_WORDS,
} from "../deployment.tsx";
import { type Column, Empty, FilterBar, PagedTable, PageHead } from "../ui/index.ts";
import "./deployments.css";

const STATES = [
  { value: "READY", label: "Ready" },
  { value: "AWAITING_DATABASE", label: "Not ready yet" },
  { value: "AWAITING_DELETE", label: "Being deleted" },
];

/** Each row asks for its own figures. */
const PAGE = 20;

const columns: Column<Deployment>[] = [
  {
    name: "Deployment",
    width: "minmax(11rem, 2fr)",
    cell: (deployment) => (
      <span className="deployment-name" data-testid="deployment-name">
        {deployment.name}
        <span className="deployment-origin">
          {SOURCE_WORDS[deployment.source]} · {originOf(deployment, deployment.source_revision_config)}
        </span>
      </span>
    ),
  },
  {
    name: "State",
    width: "minmax(11rem, 1.4fr)",
    cell: (deployment) => <DeploymentState deployment={deployment} />,
  },
  {
    name: "Requests, last hour",
    width: "11rem",
    cell: ({ id }) => <DeploymentTraffic id={id} />,
  },
  { name: "Errors", width: "4rem", align: "end", cell: ({ id }) => <DeploymentErrors id={id} /> },
  { name: "p95", width: "5rem", align: "end", cell: ({ id }) => <DeploymentLatency id={id} /> },
  { name: "Memory", width: "5rem", align: "end", cell: ({ id }) => <DeploymentMemory id={id} /> },
];

/** What is deployed, and whether it is well. */
export function DeploymentsScreen() {
  const query = useAddressQuery();
  const asked = new URLSearchParams({
    ...(query.get("name") && { name_contains: query.get("name") }),
    ...(query.get("status") && { status: query.get("status") }),
  });
  const path = `/v2/deployments?${asked}`;
  const pages = usePages<Deployment>(path, { live: ["deployments"], pageSize: PAGE });
  const isFiltered = asked.size > 0;
  return (
    <>
      <PageHead
        title="Deployments"
        sub="Agents that this Berth builds, runs and keeps running."
        actions={
          <Link href="/deployments/new" className="button button-primary" data-testid="new-deployment">
            <Plus />
            New deployment
          </Link>
        }
      />
      {(pages.rows.length > 0 || isFiltered) && (
        <FilterBar
          filters={[
            { name: "name", label: "Name", kind: "search", placeholder: "Find by name" },
            { name: "status", label: "State", kind: "choice", options: STATES },
          ]}
        />
      )}
      <PagedTable
        label="Deployments"
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        hrefOf={({ id }) => `/deployments/${id}`}
        empty={isFiltered ? <NoneFound /> : <NoneYet />}
      />
    </>
  );
}

function NoneYet() {
  return (
    <Empty
      icon={<Rocket />}
      title="Nothing is deployed yet"
      text={
        <>
          Deploy a template to see how it goes, or your own project: from a git repository, an image, or a
          folder that you drop here. From a terminal, <code>berth deploy</code> does it.
        </>
      }
      action={
        <Link href="/deployments/new" className="button button-primary">
          <Plus />
          Deploy something
        </Link>
      }
    />
  );
}

function NoneFound() {
  return (
    <Empty icon={<Rocket />} title="No deployment is like that" text="Change the filters to see others." />
  );
}
