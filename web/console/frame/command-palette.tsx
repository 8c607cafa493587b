import type { DeploymentsPage, IssuesPage, Workspace } from "@berth/server";
import { Building2, CircleAlert, MessageSquare, Plus, Rocket } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { base } from "../../api/index.ts";
import {
  isMac,
  isTyping,
  type KeyWords,
  modKeys,
  Palette,
  type PaletteEntry,
  ShortcutSheet,
} from "../../ui/index.ts";
import { chooseWorkspace, useResource } from "../data/index.ts";
import { ALL_AREAS } from "./navigation.tsx";

const MOST_SHOWN = 14;

/** Goes to any screen, deployment, issue or workspace by a few letters of its name. */
export function CommandPalette({
  workspaces,
  onClose,
}: {
  workspaces: readonly Workspace[];
  onClose: () => void;
}) {
  const [query, setQuery] = useState("");
  const all = useEntries(workspaces);
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

/** Everything that one may go to, places of the console first. */
function useEntries(workspaces: readonly Workspace[]): PaletteEntry[] {
  const [, navigate] = useLocation();
  const deployments = useResource<DeploymentsPage>("/v2/deployments?limit=100");
  const issues = useResource<IssuesPage>("/v1/issues?status=open&limit=100");
  return [
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
}

/** Those whose name has every word that was typed; a name that begins with them comes first. */
export function matching<T extends { label: string }>(entries: readonly T[], query: string): T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const first = words[0] ?? "";
  const found = entries.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const begins = (entry: T) => entry.label.toLowerCase().startsWith(first);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
}

/** How long the second key may take. */
const PAIR_MS = 1_200;

type ConsoleActions = { palette: () => void; shortcuts: () => void };

/** The keys that work on every screen: `g` and a letter goes somewhere. */
export function useConsoleKeys(actions: ConsoleActions): void {
  const [, navigate] = useLocation();
  const latest = useRef({ ...actions, navigate });
  latest.current = { ...actions, navigate };
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY;
    const onKeyDown = (event: KeyboardEvent) => {
      const todo = actionOf(event, event.timeStamp - wentAt < PAIR_MS);
      wentAt = todo === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (todo === undefined || todo === "g") return;
      event.preventDefault();
      if (todo === "palette" || todo === "shortcuts") latest.current[todo]();
      else latest.current.navigate(todo.href);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

function actionOf(
  event: KeyboardEvent,
  isSecond: boolean,
): "palette" | "shortcuts" | "g" | { href: string } | undefined {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  if (mod && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") return "palette";
  // In a dialog the page behind must not go away.
  if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return undefined;
  if (document.querySelector("dialog[open]:not(.drawer)")) return undefined;
  if (event.key === "?") return "shortcuts";
  if (isSecond) return ALL_AREAS.find(({ key }) => key === event.key);
  return event.key === "g" ? "g" : undefined;
}

const KEYS: readonly KeyWords[] = [
  { keys: modKeys("K"), words: "Go to a screen, a deployment or an issue" },
  { keys: ["?"], words: "This list" },
  ...ALL_AREAS.map(({ key, label }) => ({ keys: ["G", key.toUpperCase()], words: label })),
  { keys: ["Esc"], words: "Close what is open" },
];

/** All keys of the console on one sheet. */
export function ConsoleShortcuts({ onClose }: { onClose: () => void }) {
  return <ShortcutSheet shortcuts={KEYS} onClose={onClose} />;
}
