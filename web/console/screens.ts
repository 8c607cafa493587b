import type { ComponentType } from "react";
import { lazyScreen } from "../ui/index.ts";

type Screen = {
  /** Below `/console`, as wouter matches it. */
  path: string;
  /** The entry of the navigation that it belongs to. */
  area: string;
  /** Whether it looks at one project, which the picker in the header chooses. */
  ofProject?: boolean;
  component: ComponentType;
};

const deployments = () => import("./deployments/index.ts");
type RunScreens = Record<"RunsScreen" | "ThreadsScreen" | "TraceScreen", ComponentType>;
/** Its door has more than screens. */
const runs = (): Promise<RunScreens> => import("./runs/index.ts");
const issues = () => import("./issues/index.ts");
const assistants = () => import("./assistants/index.ts");
const figures = () => import("./figures/index.ts");
const webhooks = () => import("./webhooks/index.ts");

/** Every address of the console, in the order in which they are tried. Each screen is loaded when it is opened. */
export const SCREENS: readonly Screen[] = [
  { path: "/", area: "home", component: lazyScreen(() => import("./home/index.ts"), "HomeScreen") },
  { path: "/deployments", area: "deployments", component: lazyScreen(deployments, "DeploymentsScreen") },
  {
    path: "/deployments/new",
    area: "deployments",
    component: lazyScreen(deployments, "NewDeploymentScreen"),
  },
  {
    path: "/deployments/:id/:tab?",
    area: "deployments",
    component: lazyScreen(deployments, "DeploymentScreen"),
  },
  {
    path: "/assistants",
    area: "assistants",
    ofProject: true,
    component: lazyScreen(assistants, "AssistantsScreen"),
  },
  { path: "/assistants/:id", area: "assistants", component: lazyScreen(assistants, "AssistantScreen") },
  {
    path: "/studio",
    area: "studio",
    ofProject: true,
    component: lazyScreen(() => import("./studio/index.ts"), "StudioScreen"),
  },
  { path: "/threads", area: "threads", ofProject: true, component: lazyScreen(runs, "ThreadsScreen") },
  { path: "/runs", area: "runs", ofProject: true, component: lazyScreen(runs, "RunsScreen") },
  { path: "/traces/:id", area: "runs", component: lazyScreen(runs, "TraceScreen") },
  { path: "/figures", area: "figures", component: lazyScreen(figures, "FiguresScreen") },
  { path: "/figures/prices", area: "figures", component: lazyScreen(figures, "PricesScreen") },
  { path: "/issues", area: "issues", component: lazyScreen(issues, "IssuesScreen") },
  { path: "/issues/:id", area: "issues", component: lazyScreen(issues, "IssueScreen") },
  { path: "/sessions/:id", area: "issues", component: lazyScreen(issues, "SessionScreen") },
  { path: "/webhooks", area: "webhooks", component: lazyScreen(webhooks, "WebhooksScreen") },
  { path: "/webhooks/:id", area: "webhooks", component: lazyScreen(webhooks, "WebhookScreen") },
  { path: "/deliveries/:id", area: "webhooks", component: lazyScreen(webhooks, "DeliveryScreen") },
  {
    path: "/crons",
    area: "crons",
    ofProject: true,
    component: lazyScreen(() => import("./crons/index.ts"), "CronsScreen"),
  },
  {
    path: "/store",
    area: "store",
    ofProject: true,
    component: lazyScreen(() => import("./store/index.ts"), "StoreScreen"),
  },
  { path: "/keys", area: "keys", component: lazyScreen(() => import("./keys/index.ts"), "KeysScreen") },
  {
    path: "/system",
    area: "system",
    component: lazyScreen(() => import("./system/index.ts"), "SystemScreen"),
  },
];
