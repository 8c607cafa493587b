import { Type } from "@sinclair/typebox";
import { controlPlane } from "../../access/index.ts";
import { json, type Operation, operation, workspaceOf } from "../../http/index.ts";
import { ShownFigures, shownFigures } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";
import { deploymentParams } from "./params.ts";

type Deps = Pick<ControlRoutesDeps, "deployments" | "figures">;

/** What went through the gateway to a deployment. */
export const figureRoutes = ({ deployments, figures }: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/figures",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Deployments",
      summary: "Get the figures of a deployment",
      description: "Requests, errors, latency and memory, minute by minute.",
      params: deploymentParams,
      query: Type.Object({ minutes: Type.Integer({ minimum: 1, maximum: 1_440, default: 60 }) }),
      answers: { 200: { description: "The figures", schema: ShownFigures }, 404: "No such deployment" },
    },
    async ({ path, query, caller }) => {
      const { id } = await deployments.get(workspaceOf(caller), path.deployment_id);
      return json(shownFigures(await figures.read(id, query.minutes)));
    },
  ),
];
