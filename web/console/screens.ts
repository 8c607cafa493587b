import { type ComponentType, lazy } from "react";

export type Screen = {
  /** Below `/console`, as wouter matches it. */
  path: string;
  /** The entry of the navigation that it belongs to. */
  area: string;
  /** Whether it looks at one project, which the picker in the header chooses. */
  ofProject?: boolean;
  component: ComponentType;
};

const from = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazy(async () => ({ default: (await load())[name] }));

const deployments = () => import("./deployments/index.ts");
const runs = () => import("./runs/index.ts");
const issues = () => import("./issues/index.ts");
const webhooks = () => import("./webhooks/index.ts");

/** Every address of the console, in the order in which they are tried. Each screen is loaded when it is opened. */
export const SCREENS: readonly Screen[] = [
  { path: "/", area: "home", component: from(() => import("./home/index.ts"), "HomeScreen") },
  { path: "/deployments", area: "deployments", component: from(deployments, "DeploymentsScreen") },
  { path: "/deployments/new", area: "deployments", component: from(deployments, "NewDeploymentScreen") },
  { path: "/deployments/:id/:tab?", area: "deployments", component: from(deployments, "DeploymentScreen") },
  { path: "/threads", area: "threads", ofProject: true, component: from(runs, "ThreadsScreen") },
  { path: "/runs", area: "runs", ofProject: true, component: from(runs, "RunsScreen") },
  { path: "/traces/:id", area: "runs", component: from(runs, "TraceScreen") },
  { path: "/issues", area: "issues", component: from(issues, "IssuesScreen") },
  { path: "/issues/:id", area: "issues", component: from(issues, "IssueScreen") },
  { path: "/sessions/:id", area: "issues", component: from(issues, "SessionScreen") },
  { path: "/webhooks", area: "webhooks", component: from(webhooks, "WebhooksScreen") },
  { path: "/webhooks/:id", area: "webhooks", component: from(webhooks, "WebhookScreen") },
  { path: "/deliveries/:id", area: "webhooks", component: from(webhooks, "DeliveryScreen") },
  {
    path: "/crons",
    area: "crons",
    ofProject: true,
    component: from(() => import("./crons/index.ts"), "CronsScreen"),
  },
  {
    path: "/store",
    area: "store",
    ofProject: true,
    component: from(() => import("./store/index.ts"), "StoreScreen"),
  },
  { path: "/keys", area: "keys", component: from(() => import("./keys/index.ts"), "KeysScreen") },
  { path: "/system", area: "system", component: from(() => import("./system/index.ts"), "SystemScreen") },
];
