import { useAddressQuery } from "../data/index.ts";
import { PageHead, Tabs } from "../ui/index.ts";
import { FailureList, RareNote } from "./failure-list.tsx";
import { IssueList } from "./issue-list.tsx";
import "./issues.css";
import { ProjectList } from "./project-list.tsx";
import { ScanButton } from "./scan-button.tsx";
import { ScanList } from "./scan-list.tsx";

const PARTS = [
  { id: "issues", label: "Issues" },
  { id: "failures", label: "Seen once or twice" },
  { id: "scans", label: "Scans" },
  { id: "projects", label: "Projects" },
];

/** `/console/issues`: what keeps going wrong, the scans that found it, and the projects that are looked at. */
export function IssuesScreen() {
  const query = useAddressQuery();
  const part = PARTS.find(({ id }) => id === query.get("tab"))?.id ?? "issues";
  return (
    <>
      <PageHead
        title="Issues"
        sub="What goes wrong again and again in the runs, found on this machine."
        actions={<ScanButton />}
      />
      <Tabs
        items={PARTS.map(({ id, label }) => ({
          id,
          label,
          href: id === "issues" ? "/issues" : `/issues?tab=${id}`,
        }))}
        current={part}
      />
      {part === "issues" && (
        <>
          <IssueList />
          <RareNote />
        </>
      )}
      {part === "failures" && <FailureList />}
      {part === "scans" && <ScanList />}
      {part === "projects" && <ProjectList />}
    </>
  );
}
