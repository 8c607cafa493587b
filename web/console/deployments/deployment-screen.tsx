import type { Deployment } from "@berth/server";
import { useParams } from "wouter";
import { useResource } from "../data/index.ts";
import { DeploymentState, pathOf, SOURCE_WORDS } from "../deployment/index.ts";
import { Loading, PageHead, Problem, Tabs } from "../ui/index.ts";
import { DeploymentActions } from "./deployment-actions.tsx";
import { EnvironmentTab } from "./environment/index.ts";
import { LogsTab } from "./logs/index.ts";
import { Overview } from "./overview/index.ts";
import { RevisionsTab } from "./revisions/index.ts";
import { SettingsTab } from "./settings/index.ts";
import "./deployments.css";

const TABS = {
  overview: { label: "Overview", Tab: Overview },
  revisions: { label: "Revisions", Tab: RevisionsTab },
  logs: { label: "Logs", Tab: LogsTab },
  environment: { label: "Environment", Tab: EnvironmentTab },
  settings: { label: "Settings", Tab: SettingsTab },
};

const isTab = (name: string): name is keyof typeof TABS => Object.hasOwn(TABS, name);
const back = { href: "/deployments", label: "Deployments" };

/** One deployment: how it is, what it was, what it says, what it is given, how it is made. */
export function DeploymentScreen() {
  const { id = "", tab: named = "" } = useParams<{ id: string; tab?: string }>();
  const { data, error, refresh } = useResource<Deployment>(pathOf(encodeURIComponent(id)), {
    live: ["deployments"],
  });
  if (error)
    return (
      <>
        <PageHead title="Deployment" back={back} />
        <Problem error={error} retry={refresh} />
      </>
    );
  if (!data) return <Loading />;
  const tab = isTab(named) ? named : "overview";
  const { Tab } = TABS[tab];
  const items = Object.entries(TABS).map(([name, { label }]) => ({
    id: name,
    label,
    href: `/deployments/${id}${name === "overview" ? "" : `/${name}`}`,
  }));
  return (
    <>
      <PageHead
        title={data.name}
        back={back}
        sub={
          <>
            <DeploymentState deployment={data} />
            <span>{SOURCE_WORDS[data.source]}</span>
          </>
        }
        actions={<DeploymentActions deployment={data} />}
      />
      <Tabs items={items} current={tab} />
      <Tab key={data.id} deployment={data} />
    </>
  );
}
