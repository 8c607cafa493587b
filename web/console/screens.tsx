import {
  Activity,
  Bot,
  CalendarClock,
  ChartColumn,
  CircleAlert,
  Database,
  House,
  KeyRound,
  MessagesSquare,
  Rocket,
  Server,
  Webhook,
  Workflow,
} from "lucide-react";
import type { ComponentType, ReactNode } from "react";
import { type LazyScreen, lazyScreen } from "../ui/index.ts";

type Screen = {
  /** Below `/console`, as wouter matches it. */
  path: string;
  component: LazyScreen;
};

/** An entry of the navigation. */
export type ConsoleArea = {
  id: string;
  label: string;
  icon: ReactNode;
  /** Pressed after `g`. */
  key: string;
  /** Whether its first screen looks at one project, which the picker in the header chooses; others keep it. */
  ofProject?: boolean;
  /** Its screens, in the order in which their addresses are tried; the entry leads to the first. */
  screens: readonly [Screen, ...Screen[]];
};

const home = () => import("./home/index.ts");
const deployments = () => import("./deployments/index.ts");
const studio = () => import("./studio/index.ts");
const assistants = () => import("./assistants/index.ts");
type RunScreens = Record<"RunsScreen" | "ThreadsScreen" | "TraceScreen", ComponentType>;
/** Its door has more than screens. */
const runs = (): Promise<RunScreens> => import("./runs/index.ts");
const figures = () => import("./figures/index.ts");
const issues = () => import("./issues/index.ts");
const webhooks = () => import("./webhooks/index.ts");
const crons = () => import("./crons/index.ts");
const store = () => import("./store/index.ts");
const keys = () => import("./keys/index.ts");
const system = () => import("./system/index.ts");

/**
 * Every screen of the console, by the entry of the navigation that it belongs to, in the groups that this has. Each is
 * loaded when it is opened.
 */
export const GROUPS: readonly { name: string; areas: readonly ConsoleArea[] }[] = [
  {
    name: "",
    areas: [
      {
        ...{ id: "home", label: "Overview", icon: <House />, key: "h" },
        screens: [{ path: "/", component: lazyScreen(home, "HomeScreen") }],
      },
      {
        ...{ id: "deployments", label: "Deployments", icon: <Rocket />, key: "d" },
        screens: [
          { path: "/deployments", component: lazyScreen(deployments, "DeploymentsScreen") },
          { path: "/deployments/new", component: lazyScreen(deployments, "NewDeploymentScreen") },
          { path: "/deployments/:id/:tab?", component: lazyScreen(deployments, "DeploymentScreen") },
        ],
      },
    ],
  },
  {
    name: "Build",
    areas: [
      {
        ...{ id: "studio", label: "Studio", icon: <Workflow />, key: "p", ofProject: true },
        screens: [{ path: "/studio", component: lazyScreen(studio, "StudioScreen") }],
      },
      {
        ...{ id: "assistants", label: "Assistants", icon: <Bot />, key: "a", ofProject: true },
        screens: [
          { path: "/assistants", component: lazyScreen(assistants, "AssistantsScreen") },
          { path: "/assistants/:id", component: lazyScreen(assistants, "AssistantScreen") },
        ],
      },
    ],
  },
  {
    name: "Watch",
    areas: [
      {
        ...{ id: "runs", label: "Runs", icon: <Activity />, key: "r", ofProject: true },
        screens: [
          { path: "/runs", component: lazyScreen(runs, "RunsScreen") },
          { path: "/traces/:id", component: lazyScreen(runs, "TraceScreen") },
        ],
      },
      {
        ...{ id: "threads", label: "Threads", icon: <MessagesSquare />, key: "t", ofProject: true },
        screens: [{ path: "/threads", component: lazyScreen(runs, "ThreadsScreen") }],
      },
      {
        ...{ id: "figures", label: "Figures", icon: <ChartColumn />, key: "f" },
        screens: [
          { path: "/figures", component: lazyScreen(figures, "FiguresScreen") },
          { path: "/figures/prices", component: lazyScreen(figures, "PricesScreen") },
        ],
      },
      {
        ...{ id: "issues", label: "Issues", icon: <CircleAlert />, key: "i" },
        screens: [
          { path: "/issues", component: lazyScreen(issues, "IssuesScreen") },
          { path: "/issues/:id", component: lazyScreen(issues, "IssueScreen") },
          { path: "/sessions/:id", component: lazyScreen(issues, "SessionScreen") },
        ],
      },
      {
        ...{ id: "webhooks", label: "Webhooks", icon: <Webhook />, key: "w" },
        screens: [
          { path: "/webhooks", component: lazyScreen(webhooks, "WebhooksScreen") },
          { path: "/webhooks/:id", component: lazyScreen(webhooks, "WebhookScreen") },
          { path: "/deliveries/:id", component: lazyScreen(webhooks, "DeliveryScreen") },
        ],
      },
    ],
  },
  {
    name: "Data",
    areas: [
      {
        ...{ id: "crons", label: "Crons", icon: <CalendarClock />, key: "c", ofProject: true },
        screens: [{ path: "/crons", component: lazyScreen(crons, "CronsScreen") }],
      },
      {
        ...{ id: "store", label: "Store", icon: <Database />, key: "m", ofProject: true },
        screens: [{ path: "/store", component: lazyScreen(store, "StoreScreen") }],
      },
    ],
  },
  {
    name: "Operate",
    areas: [
      {
        ...{ id: "keys", label: "Keys", icon: <KeyRound />, key: "k" },
        screens: [{ path: "/keys", component: lazyScreen(keys, "KeysScreen") }],
      },
      {
        ...{ id: "system", label: "System", icon: <Server />, key: "s" },
        screens: [{ path: "/system", component: lazyScreen(system, "SystemScreen") }],
      },
    ],
  },
];

export const AREAS: readonly ConsoleArea[] = GROUPS.flatMap(({ areas }) => areas);
