import type { SignIn } from "@berth/server";
import {
  Activity,
  BookOpen,
  Bot,
  CalendarClock,
  ChartColumn,
  CircleAlert,
  Database,
  House,
  Keyboard,
  KeyRound,
  LogOut,
  MessageSquare,
  MessagesSquare,
  PanelLeftClose,
  Rocket,
  Server,
  Webhook,
  Workflow,
} from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { base, signOut } from "../../api/index.ts";
import { classes, IconButton, Logo, ThemeMenu, useToast } from "../../ui/index.ts";
import { areaAt } from "./current-screen.tsx";
import { WORDS } from "./words.ts";
import "./navigation.css";

type NavigationProps = {
  signIn: SignIn;
  onSignedOut: () => void;
  onShortcuts: () => void;
  onHide: () => void;
};

/** Where one can go. */
export function Navigation({ signIn, onSignedOut, onShortcuts, onHide }: NavigationProps) {
  return (
    <nav className="console-nav" aria-label={WORDS.console} data-testid="navigation">
      <div className="console-nav-head">
        <Logo size={26} />
        <span className="console-nav-name">{WORDS.berth}</span>
        <IconButton
          label={WORDS.hideTheNavigation}
          align="end"
          onClick={onHide}
          data-testid="hide-navigation"
        >
          <PanelLeftClose />
        </IconButton>
      </div>
      <Areas />
      <div className="console-nav-foot">
        <a className="console-nav-link" href={`${base}/`} data-testid="to-chat">
          <MessageSquare />
          {WORDS.chat}
        </a>
        <a className="console-nav-link" href={`${base}/docs`}>
          <BookOpen />
          {WORDS.apiReference}
        </a>
        <div className="console-nav-tools">
          <ThemeMenu />
          <IconButton label={WORDS.keyboardShortcuts} keys="?" onClick={onShortcuts}>
            <Keyboard />
          </IconButton>
          {signIn.required && <SignOutButton onSignedOut={onSignedOut} />}
        </div>
      </div>
    </nav>
  );
}

function Areas() {
  const [location] = useLocation();
  const search = useSearch();
  const current = areaAt(location);
  return (
    <div className="console-nav-areas">
      {AREAS.map(({ name, areas }) => (
        <div key={name}>
          {name !== "" && <h2 className="console-nav-group">{name}</h2>}
          <ul>
            {areas.map((area) => (
              <li key={area.id}>
                <AreaLink area={area} search={search} isCurrent={area.id === current} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

type AreaLinkProps = { area: ConsoleArea; search: string; isCurrent: boolean };

function AreaLink({ area, search, isCurrent }: AreaLinkProps) {
  const at = new URLSearchParams(search).get("at");
  const href = area.ofProject && at ? `${area.href}?at=${encodeURIComponent(at)}` : area.href;
  return (
    <Link
      href={href}
      className={classes("console-nav-link", isCurrent && "console-nav-current")}
      aria-current={isCurrent ? "page" : undefined}
      data-testid={`nav-${area.id}`}
    >
      {area.icon}
      {area.label}
    </Link>
  );
}

function SignOutButton({ onSignedOut }: { onSignedOut: () => void }) {
  const toast = useToast();
  const leave = async () => {
    try {
      await signOut("/console");
    } catch {
      toast({ text: WORDS.signingOutFailed, look: "negative" });
    }
    onSignedOut();
  };
  return (
    <IconButton label={WORDS.signOut} onClick={leave} data-testid="sign-out" align="end">
      <LogOut />
    </IconButton>
  );
}

type ConsoleArea = {
  id: string;
  label: string;
  href: string;
  icon: ReactNode;
  /** Pressed after `g`. */
  key: string;
  /** Whether it looks at one project: then it keeps the one that was picked. */
  ofProject?: boolean;
};

/** The entries of the navigation, in groups. */
const AREAS: readonly { name: string; areas: readonly ConsoleArea[] }[] = [
  {
    name: "",
    areas: [
      { id: "home", label: WORDS.overview, href: "/", icon: <House />, key: "h" },
      { id: "deployments", label: WORDS.deployments, href: "/deployments", icon: <Rocket />, key: "d" },
    ],
  },
  {
    name: WORDS.build,
    areas: [
      { id: "studio", label: WORDS.studio, href: "/studio", icon: <Workflow />, key: "p", ofProject: true },
      {
        ...{ id: "assistants", label: WORDS.assistants, href: "/assistants", icon: <Bot />, key: "a" },
        ofProject: true,
      },
    ],
  },
  {
    name: WORDS.watch,
    areas: [
      { id: "runs", label: WORDS.runs, href: "/runs", icon: <Activity />, key: "r", ofProject: true },
      {
        id: "threads",
        label: WORDS.threads,
        href: "/threads",
        icon: <MessagesSquare />,
        key: "t",
        ofProject: true,
      },
      { id: "figures", label: WORDS.figures, href: "/figures", icon: <ChartColumn />, key: "f" },
      { id: "issues", label: WORDS.issues, href: "/issues", icon: <CircleAlert />, key: "i" },
      { id: "webhooks", label: WORDS.webhooks, href: "/webhooks", icon: <Webhook />, key: "w" },
    ],
  },
  {
    name: WORDS.data,
    areas: [
      { id: "crons", label: WORDS.crons, href: "/crons", icon: <CalendarClock />, key: "c", ofProject: true },
      { id: "store", label: WORDS.store, href: "/store", icon: <Database />, key: "m", ofProject: true },
    ],
  },
  {
    name: WORDS.operate,
    areas: [
      { id: "keys", label: WORDS.keys, href: "/keys", icon: <KeyRound />, key: "k" },
      { id: "system", label: WORDS.system, href: "/system", icon: <Server />, key: "s" },
    ],
  },
];

export const ALL_AREAS: readonly ConsoleArea[] = AREAS.flatMap(({ areas }) => areas);
