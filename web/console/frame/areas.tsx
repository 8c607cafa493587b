import {
  Activity,
  CalendarClock,
  CircleAlert,
  Database,
  House,
  KeyRound,
  MessagesSquare,
  Rocket,
  Server,
  Webhook,
} from "lucide-react";
import type { ReactNode } from "react";

export type ConsoleArea = {
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
export const AREAS: readonly { name: string; areas: readonly ConsoleArea[] }[] = [
  {
    name: "",
    areas: [
      { id: "home", label: "Overview", href: "/", icon: <House />, key: "h" },
      { id: "deployments", label: "Deployments", href: "/deployments", icon: <Rocket />, key: "d" },
    ],
  },
  {
    name: "Watch",
    areas: [
      { id: "runs", label: "Runs", href: "/runs", icon: <Activity />, key: "r", ofProject: true },
      {
        id: "threads",
        label: "Threads",
        href: "/threads",
        icon: <MessagesSquare />,
        key: "t",
        ofProject: true,
      },
      { id: "issues", label: "Issues", href: "/issues", icon: <CircleAlert />, key: "i" },
      { id: "webhooks", label: "Webhooks", href: "/webhooks", icon: <Webhook />, key: "w" },
    ],
  },
  {
    name: "Data",
    areas: [
      { id: "crons", label: "Crons", href: "/crons", icon: <CalendarClock />, key: "c", ofProject: true },
      { id: "store", label: "Store", href: "/store", icon: <Database />, key: "m", ofProject: true },
    ],
  },
  {
    name: "Operate",
    areas: [
      { id: "keys", label: "Keys", href: "/keys", icon: <KeyRound />, key: "k" },
      { id: "system", label: "System", href: "/system", icon: <Server />, key: "s" },
    ],
  },
];

export const ALL_AREAS: readonly ConsoleArea[] = AREAS.flatMap(({ areas }) => areas);
