import type { Session } from "@berth/server";
import { FolderSearch } from "lucide-react";
import { usePages } from "../data/index.ts";
import { Ago, type Column, Empty, Loading, Problem, ShowMore, Table } from "../ui/index.ts";

/** The tracing projects: one for each deployment, one for the project that Berth serves, and those of others. */
export function ProjectList() {
  const pages = usePages<Session>("/v1/sessions", { live: ["deployments"] });
  if (pages.loading) return <Loading />;
  return (
    <>
      {pages.error && <Problem error={pages.error} retry={pages.refresh} />}
      <Table
        label="Tracing projects"
        testId="projects"
        columns={COLUMNS}
        rows={pages.rows}
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
      <ShowMore pages={pages} />
    </>
  );
}

const COLUMNS: Column<Session>[] = [
  { name: "Project", width: "minmax(10rem, 2fr)", cell: ({ name }) => name },
  { name: "Its runs are of", width: "minmax(8rem, 1fr)", cell: (session) => originOf(session) },
  { name: "Last trace", width: "8rem", cell: ({ updated_at }) => <Ago at={updated_at} /> },
  { name: "Since", width: "8rem", wideOnly: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

/** Where the traces of a project come from. */
export function originOf({ deployment_id, served }: Session): string {
  if (deployment_id !== null) return "a deployment";
  return served ? "this Berth’s own project" : "another program";
}
