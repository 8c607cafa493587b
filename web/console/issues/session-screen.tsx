import type { Issue, IssuesPage, Session, Trace, TracesPage } from "@berth/server";
import { FolderSearch, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { Button } from "../../ui/index.ts";
import { api, useAction, usePages, useResource } from "../data/index.ts";
import { IssueState, SeverityBadge } from "../issue.tsx";
import {
  Ago,
  type Column,
  ConfirmDialog,
  Duration,
  Empty,
  PagedTable,
  PageHead,
  Problem,
  Section,
  StatusBadge,
  Table,
  ThingScreen,
} from "../ui/index.ts";
import { ScanButton, ScanList } from "./scan-list.tsx";
import "./issues.css";

const BACK = { href: "/issues?tab=projects", label: "Projects" };

/** `/console/sessions/{id}`: a tracing project with its issues, its last traces and its scans. */
export function SessionScreen() {
  const { id = "" } = useParams();
  return (
    <ThingScreen<Session> path={`/v1/sessions/${id}`} title="Tracing project" back={BACK}>
      {(session) => <ShownSession session={session} />}
    </ThingScreen>
  );
}

function ShownSession({ session }: { session: Session }) {
  const { id, name, deployment_id, updated_at } = session;
  return (
    <>
      <PageHead
        title={name}
        back={BACK}
        sub={
          <>
            <span>{`Runs of ${originOf(session)}`}</span>
            {deployment_id !== null && <Link href={`/deployments/${deployment_id}`}>Its deployment</Link>}
            <span>
              last trace <Ago at={updated_at} />
            </span>
          </>
        }
        actions={
          <>
            <DeleteProject session={session} />
            <ScanButton sessionId={id} />
          </>
        }
      />
      <ProjectIssues sessionId={id} />
      <ProjectTraces sessionId={id} />
      <Section
        title="Last scans"
        actions={
          <Link href={`/issues?tab=scans&session_id=${id}`} className="section-link">
            All scans
          </Link>
        }
      >
        <ScanList sessionId={id} />
      </Section>
    </>
  );
}

function DeleteProject({ session: { id, name } }: { session: Session }) {
  const [isAsked, setAsked] = useState(false);
  const [, navigate] = useLocation();
  const { run, busy } = useAction();
  const remove = async () => {
    await run(async () => {
      await api(`/v1/sessions/${id}`, { method: "DELETE" });
      navigate("/issues?tab=projects");
    }, `Deleted ${name}`);
  };
  return (
    <>
      <Button icon={<Trash2 />} onClick={() => setAsked(true)} data-testid="delete-project">
        Delete
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Delete the project ${name}`}
          text="Its traces, issues and scans are gone for good. When runs leave traces again, a new one of this name is made."
          confirmText="Delete project"
          typeName={name}
          busy={busy}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

function ProjectIssues({ sessionId }: { sessionId: string }) {
  const path = `/v1/issues?session_id=${sessionId}&status=open&order=severity&limit=20`;
  const { data, error, refresh } = useResource<IssuesPage>(path, { live: ["issues"] });
  return (
    <Section
      title="Open issues"
      actions={
        <Link href={`/issues?session_id=${sessionId}&status=all`} className="section-link">
          All issues
        </Link>
      }
      testId="project-issues"
    >
      {error && <Problem error={error} retry={refresh} />}
      {data && (
        <Table
          label="Open issues"
          columns={ISSUE_COLUMNS}
          rows={data.resources}
          rowKey={({ id }) => id}
          hrefOf={({ id }) => `/issues/${id}`}
          empty={<Empty title="No open issue" text="Nothing went wrong three times in the same way." />}
        />
      )}
    </Section>
  );
}

const ISSUE_COLUMNS: Column<Issue>[] = [
  { name: "Issue", width: "minmax(12rem, 3fr)", cell: ({ name }) => name },
  { name: "Severity", width: "6rem", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  { name: "State", width: "8rem", cell: (issue) => <IssueState issue={issue} /> },
  { name: "Traces", width: "4rem", align: "end", cell: ({ trace_count }) => trace_count },
  { name: "Last seen", width: "7rem", cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
];

function ProjectTraces({ sessionId }: { sessionId: string }) {
  const path = `/v1/traces?session_id=${sessionId}&limit=10`;
  const { data, error, refresh } = useResource<TracesPage>(path, { live: ["traces"] });
  return (
    <Section
      title="Last runs"
      actions={
        <Link href={`/runs?session_id=${sessionId}`} className="section-link">
          All runs
        </Link>
      }
    >
      {error && <Problem error={error} retry={refresh} />}
      {data && (
        <Table
          label="Last runs"
          columns={TRACE_COLUMNS}
          rows={data.resources}
          rowKey={({ id }) => id}
          hrefOf={({ id }) => `/traces/${id}`}
          empty={<Empty title="No run yet" text="What runs leave appears here a moment after they end." />}
        />
      )}
    </Section>
  );
}

const TRACE_COLUMNS: Column<Trace>[] = [
  { name: "Run", width: "minmax(7rem, 1fr)", cell: ({ name }) => name },
  { name: "State", width: "7rem", cell: ({ status }) => <StatusBadge status={status} /> },
  { name: "Started", width: "7rem", cell: ({ start_time }) => <Ago at={start_time} /> },
  { name: "Took", width: "5rem", align: "end", cell: ({ latency_ms }) => <Duration ms={latency_ms} /> },
  {
    name: "Error",
    width: "minmax(10rem, 3fr)",
    cell: ({ error }) => <span className="table-cut issue-error">{error?.message ?? ""}</span>,
  },
];

/** The tracing projects: one for each deployment, one for the project that Berth serves, and those of others. */
export function ProjectList() {
  const pages = usePages<Session>("/v1/sessions", { live: ["deployments"] });
  return (
    <PagedTable
      label="Tracing projects"
      testId="projects"
      columns={COLUMNS}
      pages={pages}
      rowKey={({ id }) => id}
      hrefOf={({ id }) => `/sessions/${id}`}
      empty={
        <Empty
          icon={<FolderSearch />}
          title="No project yet"
          text="A deployment gets one with its first run. Other programs make one when they send traces to /langsmith."
        />
      }
    />
  );
}

const COLUMNS: Column<Session>[] = [
  { name: "Project", width: "minmax(10rem, 2fr)", cell: ({ name }) => name },
  { name: "Its runs are of", width: "minmax(8rem, 1fr)", cell: (session) => originOf(session) },
  { name: "Last trace", width: "8rem", cell: ({ updated_at }) => <Ago at={updated_at} /> },
  { name: "Since", width: "8rem", wideOnly: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

/** Where the traces of a project come from. */
function originOf({ deployment_id, served }: Session): string {
  if (deployment_id !== null) return "a deployment";
  return served ? "this Berth’s own project" : "another program";
}
