import type { Deployment, Revision } from "@berth/server";
import { MessageSquare, MoreHorizontal, RefreshCw, Trash2, Upload, Workflow } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { Button, Menu } from "../../ui/index.ts";
import { api, useAction, useResource } from "../data/index.ts";
import { chatHref, DeploymentState, pathOf, rolloutHref, SOURCE_WORDS } from "../deployment.tsx";
import { Loading, PageHead, Problem, Tabs } from "../ui/index.ts";
import { EnvironmentTab } from "./environment-tab.tsx";
import { UploadDialog } from "./fresh/index.ts";
import { LogsTab } from "./logs/index.ts";
import { Overview } from "./overview.tsx";
import { RevisionsTab } from "./revision-table.tsx";
import { DeleteDialog, SettingsTab } from "./settings/index.ts";
import { WORDS } from "./words.tsx";
import "./deployments.css";

const TABS = {
  overview: { label: WORDS.overview, Tab: Overview },
  revisions: { label: WORDS.revisions, Tab: RevisionsTab },
  logs: { label: WORDS.logs, Tab: LogsTab },
  environment: { label: WORDS.environment, Tab: EnvironmentTab },
  settings: { label: WORDS.settings, Tab: SettingsTab },
};

const isTab = (name: string): name is keyof typeof TABS => Object.hasOwn(TABS, name);
const back = { href: "/deployments", label: WORDS.deployments };

/** One deployment: how it is, what it was, what it says, what it is given, how it is made. */
export function DeploymentScreen() {
  const { id = "", tab: named = "" } = useParams<{ id: string; tab?: string }>();
  const { data, error, refresh } = useResource<Deployment>(pathOf(encodeURIComponent(id)), {
    live: ["deployments"],
  });
  if (error)
    return (
      <>
        <PageHead title={WORDS.deployment} back={back} />
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

/** What can be done with a deployment, from any of its parts. */
function DeploymentActions({ deployment }: { deployment: Deployment }) {
  const { id, source } = deployment;
  const [open, setOpen] = useState<"delete" | "upload">();
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const isUploaded = source === "internal_source";
  const deploy = async () => {
    const made = await run(() => api<Revision>(`${pathOf(id)}/revisions`, { method: "POST", body: {} }));
    if (made) navigate(rolloutHref(id, made.id));
  };
  return (
    <>
      <OpenLinks deployment={deployment} />
      {isUploaded ? (
        <Button look="primary" icon={<Upload />} onClick={() => setOpen("upload")} data-testid="upload">
          {WORDS.newVersion}
        </Button>
      ) : (
        <Button
          look="primary"
          icon={<RefreshCw />}
          disabled={busy}
          onClick={deploy}
          data-testid="deploy-again"
        >
          {WORDS.deployAgain}
        </Button>
      )}
      <DeploymentMenu onDeploy={isUploaded ? deploy : undefined} onDelete={() => setOpen("delete")} />
      {open === "delete" && <DeleteDialog deployment={deployment} onClose={() => setOpen(undefined)} />}
      {open === "upload" && <UploadDialog deployment={deployment} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** Where one talks to it, and where one runs it by hand, once anything of it serves. */
function OpenLinks({ deployment }: { deployment: Deployment }) {
  const chat = chatHref(deployment);
  if (!chat || deployment.active_revision_id === null) return null;
  return (
    <>
      <Link href={`/studio?at=${deployment.id}`} className="button button-plain" data-testid="open-studio">
        <Workflow />
        {WORDS.studio}
      </Link>
      <a href={chat} className="button button-plain" data-testid="open-chat">
        <MessageSquare />
        {WORDS.openChat}
      </a>
    </>
  );
}

type DeploymentMenuProps = {
  /** Builds the same again, where that is not the button beside it. */
  onDeploy: (() => void) | undefined;
  onDelete: () => void;
};

function DeploymentMenu({ onDeploy, onDelete }: DeploymentMenuProps) {
  const again = onDeploy && { label: WORDS.buildTheSameAgain, icon: <RefreshCw />, onSelect: onDeploy };
  return (
    <Menu
      label={WORDS.moreActions}
      icon={<MoreHorizontal />}
      testId="deployment-menu"
      items={[
        ...(again ? [again] : []),
        { label: WORDS.delete, icon: <Trash2 />, look: "danger", testId: "delete", onSelect: onDelete },
      ]}
    />
  );
}
