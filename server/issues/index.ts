import type { Operation } from "../http/index.ts";
import { deliveryRoutes } from "./deliveries.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { engineRoutes } from "./engine.ts";
import { figureRoutes } from "./figures.ts";
import { groupingRoutes } from "./grouping.ts";
import { failureRoutes, issueRoutes } from "./issues.ts";
import { judgingRoutes } from "./judging.ts";
import { modelPriceRoutes } from "./model-prices.ts";
import { sessionRoutes } from "./sessions.ts";
import { subscriptionRoutes } from "./subscriptions.ts";
import { traceRoutes } from "./traces.ts";

export type { IssueRoutesDeps } from "./deps.ts";
export { createIssueArea, type IssueArea } from "./issue-area.ts";
export type * from "./wire/index.ts";

/** The API of traces, issues and the webhooks that tell of them. */
export const issueApiRoutes = (deps: IssueRoutesDeps): Operation[] => [
  ...sessionRoutes(deps),
  ...groupingRoutes(deps),
  ...traceRoutes(deps),
  ...figureRoutes(deps),
  ...modelPriceRoutes(deps),
  ...issueRoutes(deps),
  ...failureRoutes(deps),
  ...judgingRoutes(deps),
  ...subscriptionRoutes(deps),
  ...deliveryRoutes(deps),
  ...engineRoutes(deps),
];
