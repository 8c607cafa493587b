import type { DeploymentsPage, IssuesPage, Workspace } from "@berth/server";
import { Building2, CircleAlert, MessageSquare, Plus, Rocket } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { base } from "../../api/index.ts";
import { Palette, type PaletteEntry } from "../../ui/index.ts";
import { chooseWorkspace, useResource } from "../data/index.ts";
import { ALL_AREAS } from "./areas.tsx";

const MOST_SHOWN = 14;

/** Goes to any screen, deployment, issue or workspace by a few letters of its name. */
export function CommandPalette({
  workspaces,
  onClose,
}: {
  workspaces: readonly Workspace[];
  onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const deployments = useResource<DeploymentsPage>("/v2/deployments?limit=100");
  const issues = useResource<IssuesPage>("/v1/issues?status=open&limit=100");
  const all: PaletteEntry[] = [
    ...ALL_AREAS.map(({ id, label, icon, href, key }) => ({
      ...{ id, label, icon, note: `G ${key.toUpperCase()}` },
      onSelect: () => navigate(href),
    })),
    ...(deployments.data?.resources ?? []).map(({ id, name }) => ({
      ...{ id, label: name, icon: <Rocket />, note: "Deployment" },
      onSelect: () => navigate(`/deployments/${id}`),
    })),
    ...(issues.data?.resources ?? []).map(({ id, name }) => ({
      ...{ id, label: name, icon: <CircleAlert />, note: "Issue" },
      onSelect: () => navigate(`/issues/${id}`),
    })),
    ...(workspaces.length > 1 ? workspaces : []).map(({ id, name }) => ({
      ...{ id, label: name, icon: <Building2 />, note: "Workspace" },
      onSelect: () => {
        chooseWorkspace(id);
        navigate("/");
      },
    })),
    {
      id: "new",
      label: "New deployment",
      icon: <Plus />,
      note: "",
      onSelect: () => navigate("/deployments/new"),
    },
    {
      id: "chat",
      label: "Open the chat",
      icon: <MessageSquare />,
      note: "",
      onSelect: () => window.location.assign(`${base}/`),
    },
  ];
  return (
    <Palette
      title="Go to…"
      listLabel="Places"
      query={query}
      onQuery={setQuery}
      entries={matching(all, query).slice(0, MOST_SHOWN)}
      onClose={onClose}
    />
  );
}

/** Those whose name has every word that was typed; a name that begins with them comes first. */
export function matching<T extends { label: string }>(entries: readonly T[], query: string): T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const first = words[0] ?? "";
  const found = entries.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const begins = (entry: T) => entry.label.toLowerCase().startsWith(first);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
}
