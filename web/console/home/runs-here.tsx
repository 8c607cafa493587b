import type { SessionsPage } from "@berth/server";
import { ExternalLink, MessageSquare, Plus, Undo2 } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { base } from "../../api/index.ts";
import { Button } from "../../ui/index.ts";
import { api, useAction, useResource } from "../data/index.ts";
import {
  chatHref,
  DeploymentErrors,
  DeploymentLatency,
  DeploymentState,
  DeploymentTraffic,
  isUnderWay,
  pathOf,
} from "../deployment.tsx";
import { Ago, type Column, ConfirmDialog, Section, Table } from "../ui/index.ts";
import { formerOf, type RunningHere } from "./overview.ts";
import { WORDS } from "./words.tsx";
import "../deployments/deployments.css";

const columns: Column<RunningHere>[] = [
  {
    name: WORDS.deployment,
    width: "minmax(9rem, 2fr)",
    cell: ({ deployment }) => deployment.name,
  },
  {
    name: WORDS.state,
    width: "minmax(10rem, 1.4fr)",
    cell: ({ deployment }) => <DeploymentState deployment={deployment} />,
  },
  { name: WORDS.requests, width: "11rem", cell: ({ deployment: { id } }) => <DeploymentTraffic id={id} /> },
  {
    name: WORDS.errors,
    width: "4rem",
    align: "end",
    cell: ({ deployment: { id } }) => <DeploymentErrors id={id} />,
  },
  {
    name: "p95",
    width: "5rem",
    align: "end",
    cell: ({ deployment: { id } }) => <DeploymentLatency id={id} />,
  },
  {
    name: WORDS.actions,
    hideName: true,
    align: "end",
    width: "11rem",
    cell: (running) => <Actions running={running} />,
  },
];

type RunsHereProps = { running: readonly RunningHere[]; total: number };

/** What runs, and for each how to talk to it and how to go back. */
export function RunsHere({ running, total }: RunsHereProps) {
  return (
    <Section
      title={WORDS.whatRuns}
      testId="runs-here"
      {...(total > running.length && {
        actions: <Link href="/deployments">{WORDS.allDeployments(total)}</Link>,
      })}
    >
      <OwnProject />
      {running.length > 0 && (
        <Table
          label={WORDS.deployments}
          columns={columns}
          rows={running}
          rowKey={({ deployment }) => deployment.id}
          hrefOf={({ deployment }) => `/deployments/${deployment.id}`}
        />
      )}
      {running.length === 0 && (
        <p className="none-deployed">
          {WORDS.nothingIsDeployedYet}
          <Link href="/deployments/new" className="button button-plain button-small">
            <Plus />
            {WORDS.deploySomething}
          </Link>
        </p>
      )}
    </Section>
  );
}

/** The project that was given to `berth start` is no deployment, and runs all the same. */
function OwnProject() {
  const { data } = useResource<SessionsPage>("/v1/sessions?served=true");
  const own = data?.resources[0];
  if (!own) return null;
  return (
    <p className="own-project" data-testid="own-project">
      <span>
        <strong>{own.name}</strong> <span className="never">{WORDS.servedByThisBerth}</span>
      </span>
      <span className="own-links">
        <Link href="/runs">{WORDS.runs}</Link>
        <Link href={`/sessions/${own.id}`}>{WORDS.issues}</Link>
        <a href={`${base}/`}>{WORDS.chat(<ExternalLink />)}</a>
      </span>
    </p>
  );
}

function Actions({ running }: { running: RunningHere }) {
  const chat = chatHref(running.deployment);
  return (
    <span className="row-actions">
      <RollBack running={running} />
      {chat && running.deployment.active_revision_id !== null && (
        <a className="button button-quiet button-small" href={chat}>
          <MessageSquare />
          {WORDS.chatLabel}
        </a>
      )}
    </span>
  );
}

/** Goes back to what served before, without a build; nothing where there is nothing to go back to. */
function RollBack({ running }: { running: RunningHere }) {
  const [isAsked, setAsked] = useState(false);
  const { run, busy } = useAction();
  const { deployment, revisions } = running;
  const former = formerOf(running);
  if (!former) return null;
  const goBack = () =>
    run(
      () => api(`${pathOf(deployment.id)}/revisions/${former.id}/redeploy`, { method: "POST" }),
      WORDS.goesBackToRevision(deployment.name, former.number),
    );
  return (
    <>
      <Button
        size="small"
        look="quiet"
        icon={<Undo2 />}
        disabled={busy || revisions.some(isUnderWay)}
        onClick={() => setAsked(true)}
        data-testid="roll-back"
      >
        {WORDS.rollBack}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={WORDS.rollBackNamed(deployment.name)}
          text={<p>{WORDS.rollBackNote(former.number, <Ago at={former.created_at} />)}</p>}
          confirmText={WORDS.goBack(former.number)}
          look="primary"
          busy={busy}
          onConfirm={goBack}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
