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
import { WORDS } from "./words.tsx";
import "./deployments.css";

const STATES = [
  { value: "READY", label: WORDS.ready },
  { value: "AWAITING_DATABASE", label: WORDS.notReadyYet },
  { value: "AWAITING_DELETE", label: WORDS.beingDeleted },
];

/** Each row asks for its own figures. */
const PAGE = 20;

const columns: Column<Deployment>[] = [
  {
    name: WORDS.deployment,
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
    name: WORDS.state,
    width: "minmax(11rem, 1.4fr)",
    cell: (deployment) => <DeploymentState deployment={deployment} />,
  },
  {
    name: WORDS.requestsLastHour,
    width: "11rem",
    cell: ({ id }) => <DeploymentTraffic id={id} />,
  },
  { name: WORDS.errors, width: "4rem", align: "end", cell: ({ id }) => <DeploymentErrors id={id} /> },
  { name: "p95", width: "5rem", align: "end", cell: ({ id }) => <DeploymentLatency id={id} /> },
  { name: WORDS.memory, width: "5rem", align: "end", cell: ({ id }) => <DeploymentMemory id={id} /> },
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
        title={WORDS.deployments}
        sub={WORDS.deploymentsNote}
        actions={
          <Link href="/deployments/new" className="button button-primary" data-testid="new-deployment">
            <Plus />
            {WORDS.newDeployment}
          </Link>
        }
      />
      {(pages.rows.length > 0 || isFiltered) && (
        <FilterBar
          filters={[
            { name: "name", label: WORDS.name, kind: "search", placeholder: WORDS.findByName },
            { name: "status", label: WORDS.state, kind: "choice", options: STATES },
          ]}
        />
      )}
      <PagedTable
        label={WORDS.deployments}
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
      title={WORDS.nothingIsDeployedYet}
      text={WORDS.nothingDeployedHint}
      action={
        <Link href="/deployments/new" className="button button-primary">
          <Plus />
          {WORDS.deployAnAgent}
        </Link>
      }
    />
  );
}

function NoneFound() {
  return <Empty icon={<Rocket />} title={WORDS.noDeploymentsMatch} text={WORDS.changeFilters} />;
}
