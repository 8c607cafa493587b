import { timingSafeEqual } from "node:crypto";
import { hashSecret, type Instances, type Sessions, type Traces, Unauthenticated } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { byInstanceToken } from "../access/index.ts";
import { json, type Operation, operation } from "../http/index.ts";
import { ShipmentForm, spanWrite } from "./shipment.ts";

/** A ULID, or the UUID of an instance that Berth 0.1.0 started. */
const InstanceId = Type.String({ pattern: "^[0-9A-Za-z-]{26,36}$" });

/** A deployment by its id, of whatever workspace. */
export type DeploymentOf = (
  id: string,
) => Promise<{ id: string; name: string; workspace_id: string } | undefined>;

export type ShipmentRouteDeps = {
  instances: Pick<Instances, "get">;
  deploymentOf: DeploymentOf;
  sessions: Sessions;
  traces: Traces;
  maxBodyBytes: number;
};

/** Takes the traces of deployed processes, into the project of their deployment. */
export function shipmentRoutes({
  instances,
  deploymentOf,
  sessions,
  traces,
}: ShipmentRouteDeps): Operation[] {
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
      body: ShipmentForm,
      answers: {
        200: {
          description: "It is kept",
          schema: Type.Object({ written: Type.Integer(), dropped: Type.Integer() }),
        },
        401: "Not the token of this instance",
      },
    },
    async ({ path, body, request }) => {
      const instance = await instances.get(path.instance_id);
      const deployment =
        instance && isToken(request, instance.token) && (await deploymentOf(instance.deployment_id));
      if (!deployment) throw new Unauthenticated("Not the token of this instance");
      const { id: deploymentId, name, workspace_id } = deployment;
      const [known] = await sessions.list(workspace_id, { deploymentId }, { limit: 1, offset: 0 });
      const session = known ?? (await sessions.ensure(workspace_id, name, { deploymentId }));
      const of = { sessionId: session.id, revisionId: instance.revision_id };
      const spans = await traces.write(body.spans.map((span) => spanWrite(span, of)));
      const feedback = await traces.feedback(workspace_id, body.feedback);
      await traces.forgetThreads(body.forgotten ?? [], { workspaceId: workspace_id, sessionId: session.id });
      return json({
        written: spans.written + feedback.written,
        dropped: spans.dropped + feedback.dropped,
      });
    },
  );
  return [receive];
}

function isToken(request: Request, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  return (
    given !== undefined && timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(token)))
  );
}
