import { templates } from "@berth/agent";
import { controlPlane } from "../../access/index.ts";
import { json, type Operation, operation } from "../../http/index.ts";
import { ShownSources, SOURCES } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";

/** What each edition makes deployments from. */
const SOURCES_OF = {
  cloud: SOURCES.filter((source) => source !== "external_docker"),
  self_hosted: ["external_docker"],
} as const;

/** What can be deployed here, for whoever wants to choose. */
export const sourceRoutes = ({ settings }: Pick<ControlRoutesDeps, "settings">): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/sources",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Deployments",
      summary: "List what you can deploy",
      description: "The sources of this edition, and the templates in this program.",
      answers: { 200: { description: "What can be deployed", schema: ShownSources } },
    },
    () =>
      json({
        sources: SOURCES_OF[settings.edition],
        templates: Object.entries(templates).map(([name, { graphs }]) => ({
          name,
          description: Object.values(graphs)[0]?.description ?? "",
        })),
      }),
  ),
];
