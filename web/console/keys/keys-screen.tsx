import { useAddressQuery } from "../data/index.ts";
import { PageHead, Tabs } from "../ui/index.ts";
import { DeletionList } from "./deletion-list.tsx";
import { KeyList } from "./key-list.tsx";
import "./keys.css";
import { WorkspaceList } from "./workspace-list.tsx";

const TABS = [
  { id: "keys", label: "API keys", href: "/keys" },
  { id: "workspaces", label: "Workspaces", href: "/keys?tab=workspaces" },
];

/** Who may call, and what keeps one team's things from another's. */
export function KeysScreen() {
  const tab = useAddressQuery().get("tab") === "workspaces" ? "workspaces" : "keys";
  return (
    <>
      <PageHead title="Keys and workspaces" />
      <Tabs items={TABS} current={tab} />
      {tab === "keys" ? (
        <>
          <KeyList />
          <DeletionList />
        </>
      ) : (
        <WorkspaceList />
      )}
    </>
  );
}
