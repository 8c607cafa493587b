import type { DeploymentsPage, IssuesPage, Workspace } from "@berth/server";
import {
  Building2,
  CircleAlert,
  Fingerprint,
  LogOut,
  MessageSquare,
  Plus,
  Rocket,
  Undo2,
  Zap,
} from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { base, signOut } from "../../api/index.ts";
import {
  isMac,
  isTyping,
  type KeyWords,
  modKeys,
  Palette,
  type PaletteEntry,
  ShortcutSheet,
} from "../../ui/index.ts";
import { chooseWorkspace, useAction, useResource } from "../data/index.ts";
import { AREAS, type ConsoleArea } from "../screens.tsx";
import { addressOf } from "./current-screen.tsx";
import { addressOfId, isId } from "./found-id.ts";
import { WORDS } from "./words.ts";

const MOST_SHOWN = 14;

/** Goes to any screen, deployment, issue or workspace by a few letters of its name, or by an id; and acts. */
export function CommandPalette({
  workspaces,
  onClose,
}: {
  workspaces: readonly Workspace[];
  onClose: () => void;
}) {
  const [query, setQuery] = useState("");
  const all = useEntries(workspaces);
  const found = useIdEntry(query.trim());
  return (
    <Palette
      title={WORDS.goToOrDo}
      listLabel={WORDS.placesAndActions}
      query={query}
      onQuery={setQuery}
      entries={[...found, ...matching(all, query)].slice(0, MOST_SHOWN)}
      onClose={onClose}
    />
  );
}

/** What an id leads to, whatever it is of. */
function useIdEntry(id: string): PaletteEntry[] {
  const [, navigate] = useLocation();
  const { run } = useAction();
  if (!isId(id)) return [];
  const open = () =>
    run(async () => {
      const address = await addressOfId(id.toLowerCase());
      if (address === undefined) throw new Error(WORDS.idNotFound);
      if ("chat" in address) window.location.assign(base + address.chat);
      else navigate(address.console);
    });
  const note = WORDS.kindsFound;
  return [{ id: "by-id", label: WORDS.open(id), icon: <Fingerprint />, note, onSelect: () => void open() }];
}

/** What the head of the screen offers: the same by its words. */
function useScreenActions(): PaletteEntry[] {
  // As they are when the palette opens; it covers the screen from then on.
  return useMemo(
    () =>
      [...document.querySelectorAll<HTMLElement>(".page-head-actions button:not(:disabled)")].flatMap(
        (button, place) => {
          const label = button.textContent?.trim() || button.ariaLabel || "";
          if (label === "") return [];
          // The palette gives the focus back first; what the button opens then keeps it.
          const press = () => setTimeout(() => button.click());
          return [{ id: `act-${place}`, label, icon: <Zap />, note: WORDS.onThisScreen, onSelect: press }];
        },
      ),
    [],
  );
}

/** Everything that one may go to, places of the console first. */
function useEntries(workspaces: readonly Workspace[]): PaletteEntry[] {
  const [, navigate] = useLocation();
  const actions = useScreenActions();
  const ways = useWays();
  const deployments = useResource<DeploymentsPage>("/v2/deployments?limit=100");
  const issues = useResource<IssuesPage>("/v1/issues?status=open&limit=100");
  return [
    ...AREAS.map((area) => ({
      ...{ id: area.id, label: area.label, icon: area.icon, note: WORDS.goKeys(area.key.toUpperCase()) },
      onSelect: () => navigate(addressOf(area)),
    })),
    ...(deployments.data?.resources ?? []).map(({ id, name }) => ({
      ...{ id, label: name, icon: <Rocket />, note: WORDS.deployment },
      onSelect: () => navigate(`/deployments/${id}`),
    })),
    ...(issues.data?.resources ?? []).map(({ id, name }) => ({
      ...{ id, label: name, icon: <CircleAlert />, note: WORDS.issue },
      onSelect: () => navigate(`/issues/${id}`),
    })),
    ...(workspaces.length > 1 ? workspaces : []).map(({ id, name }) => ({
      ...{ id, label: name, icon: <Building2 />, note: WORDS.workspace },
      onSelect: () => {
        chooseWorkspace(id);
        navigate("/");
      },
    })),
    ...actions,
    ...(deployments.data?.resources ?? []).map(({ id, name }) => ({
      ...{ id: `back-${id}`, label: WORDS.rollBack(name), icon: <Undo2 />, note: WORDS.chooseARevision },
      onSelect: () => navigate(`/deployments/${id}/revisions`),
    })),
    ...ways,
  ];
}

/** What is always there to be done. */
function useWays(): PaletteEntry[] {
  const [, navigate] = useLocation();
  const { run } = useAction();
  return [
    {
      id: "new",
      label: WORDS.newDeployment,
      icon: <Plus />,
      note: "",
      onSelect: () => navigate("/deployments/new"),
    },
    {
      id: "sign-out",
      label: WORDS.signOut,
      icon: <LogOut />,
      note: "",
      onSelect: () => void run(() => signOut("/console")),
    },
    {
      id: "chat",
      label: WORDS.openTheChat,
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
      else latest.current.navigate(addressOf(todo));
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

function actionOf(
  event: KeyboardEvent,
  isSecond: boolean,
): "palette" | "shortcuts" | "g" | ConsoleArea | undefined {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  if (mod && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") return "palette";
  // In a dialog the page behind must not go away.
  if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return undefined;
  if (document.querySelector("dialog[open]:not(.drawer)")) return undefined;
  if (event.key === "?") return "shortcuts";
  if (isSecond) return AREAS.find(({ key }) => key === event.key);
  return event.key === "g" ? "g" : undefined;
}

const KEYS: readonly KeyWords[] = [
  { keys: modKeys("K"), words: WORDS.paletteHint },
  { keys: ["?"], words: WORDS.showThisList },
  ...AREAS.map(({ key, label }) => ({ keys: ["G", key.toUpperCase()], words: label })),
  { keys: ["Esc"], words: WORDS.closeWhatIsOpen },
];

/** All keys of the console on one sheet. */
export function ConsoleShortcuts({ onClose }: { onClose: () => void }) {
  return <ShortcutSheet shortcuts={KEYS} onClose={onClose} />;
}
