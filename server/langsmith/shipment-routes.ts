import type { Traces } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { byInstanceToken } from "../access/index.ts";
import { json, type Operation, operation } from "../http/index.ts";
import { type InstanceDoorDeps, ownerByInstance } from "./instance-door.ts";
import { ShipmentForm, spanWrite, wholeTraces } from "./shipment.ts";

/** A ULID, or the UUID of an instance that Berth 0.1.0 started. */
const InstanceId = Type.String({ pattern: "^[0-9A-Za-z-]{26,36}$" });

type ShipmentRouteDeps = InstanceDoorDeps & { traces: Traces };

/** Takes the traces of deployed processes, into the project of their deployment. */
export function shipmentRoutes(deps: ShipmentRouteDeps): Operation[] {
  const { traces } = deps;
  const receive = operation(
    {
      method: "POST",
      path: "/langsmith/instances/:instance_id/shipments",
      access: byInstanceToken,
      bodyLimit: "process",
      tag: "Trace Ingest",
      summary: "Take over traces of a deployed process",
      description: "For Berth's own processes: each has a token, with which it sends what its runs leave.",
      unlisted: true,
      params: Type.Object({ instance_id: InstanceId }),
      verify: ({ path, request }) => ownerByInstance(deps, request, path.instance_id),
      body: ShipmentForm,
      answers: {
        200: {
          description: "Berth has stored it",
          schema: Type.Object({ written: Type.Integer(), dropped: Type.Integer() }),
        },
        401: "Not the token of this instance",
      },
    },
    async ({ body, verified: { workspaceId, place } }) => {
      const { whole, others } = wholeTraces(body.spans.map((span) => spanWrite(span, place)));
      const spans = [await traces.write(others), await traces.writeWhole(whole)];
      const feedback = await traces.feedback(workspaceId, body.feedback);
      await traces.forgetThreads(body.forgotten ?? [], { workspaceId, sessionId: place.sessionId });
      return json({
        written: spans.reduce((sum, { written }) => sum + written, feedback.written),
        dropped: spans.reduce((sum, { dropped }) => sum + dropped, feedback.dropped),
      });
    },
  );
  return [receive];
}
