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
import { WORDS } from "./words.tsx";
import "./issues.css";

const BACK = { href: "/issues?tab=projects", label: WORDS.projects };

/** `/console/sessions/{id}`: a tracing project with its issues, its last traces and its scans. */
export function SessionScreen() {
  const { id = "" } = useParams();
  return (
    <ThingScreen<Session> path={`/v1/sessions/${id}`} title={WORDS.tracingProject} back={BACK}>
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
            <span>{WORDS.runsOf(originOf(session))}</span>
            {deployment_id !== null && (
              <Link href={`/deployments/${deployment_id}`}>{WORDS.itsDeployment}</Link>
            )}
            <span>{WORDS.lastTrace(<Ago at={updated_at} />)}</span>
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
        title={WORDS.lastScans}
        actions={
          <Link href={`/issues?tab=scans&session_id=${id}`} className="section-link">
            {WORDS.allScans}
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
    }, WORDS.deleted(name));
  };
  return (
    <>
      <Button icon={<Trash2 />} onClick={() => setAsked(true)} data-testid="delete-project">
        {WORDS.delete}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={WORDS.deleteTheProject(name)}
          text={WORDS.deleteProjectNote}
          confirmText={WORDS.deleteProject}
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
      title={WORDS.openIssues}
      actions={
        <Link href={`/issues?session_id=${sessionId}&status=all`} className="section-link">
          {WORDS.allIssues}
        </Link>
      }
      testId="project-issues"
    >
      {error && <Problem error={error} retry={refresh} />}
      {data && (
        <Table
          label={WORDS.openIssues}
          columns={ISSUE_COLUMNS}
          rows={data.resources}
          rowKey={({ id }) => id}
          hrefOf={({ id }) => `/issues/${id}`}
          empty={<Empty title={WORDS.noOpenIssue} text={WORDS.noOpenIssues} />}
        />
      )}
    </Section>
  );
}

const ISSUE_COLUMNS: Column<Issue>[] = [
  { name: WORDS.issue, width: "minmax(12rem, 3fr)", cell: ({ name }) => name },
  { name: WORDS.severity, width: "6rem", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  { name: WORDS.state, width: "8rem", cell: (issue) => <IssueState issue={issue} /> },
  { name: WORDS.tracesColumn, width: "4rem", align: "end", cell: ({ trace_count }) => trace_count },
  { name: WORDS.lastSeen, width: "7rem", cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
];

function ProjectTraces({ sessionId }: { sessionId: string }) {
  const path = `/v1/traces?session_id=${sessionId}&limit=10`;
  const { data, error, refresh } = useResource<TracesPage>(path, { live: ["traces"] });
  return (
    <Section
      title={WORDS.lastRuns}
      actions={
        <Link href={`/runs?session_id=${sessionId}`} className="section-link">
          {WORDS.allRunsLink}
        </Link>
      }
    >
      {error && <Problem error={error} retry={refresh} />}
      {data && (
        <Table
          label={WORDS.lastRuns}
          columns={TRACE_COLUMNS}
          rows={data.resources}
          rowKey={({ id }) => id}
          hrefOf={({ id }) => `/traces/${id}`}
          empty={<Empty title={WORDS.noRunYet} text={WORDS.noRunHint} />}
        />
      )}
    </Section>
  );
}

const TRACE_COLUMNS: Column<Trace>[] = [
  { name: WORDS.run, width: "minmax(7rem, 1fr)", cell: ({ name }) => name },
  { name: WORDS.state, width: "7rem", cell: ({ status }) => <StatusBadge status={status} /> },
  { name: WORDS.started, width: "7rem", cell: ({ start_time }) => <Ago at={start_time} /> },
  {
    name: WORDS.duration,
    width: "5rem",
    align: "end",
    cell: ({ latency_ms }) => <Duration ms={latency_ms} />,
  },
  {
    name: WORDS.error,
    width: "minmax(10rem, 3fr)",
    cell: ({ error }) => <span className="table-cut issue-error">{error?.message ?? ""}</span>,
  },
];

/** The tracing projects: one for each deployment, one for the project that Berth serves, and those of others. */
export function ProjectList() {
  const pages = usePages<Session>("/v1/sessions", { live: ["deployments"] });
  return (
    <PagedTable
      label={WORDS.tracingProjects}
      testId="projects"
      columns={COLUMNS}
      pages={pages}
      rowKey={({ id }) => id}
      hrefOf={({ id }) => `/sessions/${id}`}
      empty={<Empty icon={<FolderSearch />} title={WORDS.noProjectYet} text={WORDS.noProjectHint} />}
    />
  );
}

const COLUMNS: Column<Session>[] = [
  { name: WORDS.project, width: "minmax(10rem, 2fr)", cell: ({ name }) => name },
  { name: WORDS.runsOfColumn, width: "minmax(8rem, 1fr)", cell: (session) => originOf(session) },
  { name: WORDS.lastTraceColumn, width: "8rem", cell: ({ updated_at }) => <Ago at={updated_at} /> },
  { name: WORDS.created, width: "8rem", wideOnly: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

/** Where the traces of a project come from. */
function originOf({ deployment_id, served }: Session): string {
  if (deployment_id !== null) return WORDS.aDeployment;
  return served ? WORDS.thisBerthsOwnProject : WORDS.anotherProgram;
}
