import type { Agent } from "@berth/agent";
import { NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { byGatewayToken } from "../access/index.ts";
import { CLAIM_PATH, json, type Operation, operation } from "../http/index.ts";

/**
 * Tells a deployed process whether to take up runs: while two revisions share a database, one of them does. There
 * only where the gateway's token is asked for.
 */
export const claimRoutes = ({ claim }: Pick<Agent, "claim">): Operation[] => [
  operation(
    {
      method: "POST",
      path: CLAIM_PATH,
      access: byGatewayToken,
      bodyLimit: "process",
      tag: "System",
      summary: "Take up runs, or leave them to another process",
      body: Type.Object({ claim: Type.Boolean() }),
      answers: { 200: "It does" },
      unlisted: true,
    },
    async ({ body, request }) => {
      // What the gateway passes on is a caller's, whoever that is, and not Berth's.
      if (request.headers.has("x-forwarded-for")) throw new NotFound("Not Found");
      await claim(body.claim);
      return json({ claiming: body.claim });
    },
  ),
];
