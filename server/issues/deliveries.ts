import { Invalid } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import {
  Instant,
  json,
  momentOf,
  type Operation,
  oneOf,
  operation,
  optional,
  Uuid,
  workspaceOf,
} from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { pageFields } from "./filters.ts";
import {
  DELIVERY_STATES,
  DeliveriesPage,
  Redelivery,
  ShownDelivery,
  ShownWholeDelivery,
  shownDelivery,
  shownWholeDelivery,
} from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "outbox" | "now">;

const tag = "Webhooks";
const params = Type.Object({ delivery_id: Uuid });
const gone = "No such delivery";
const LONGEST_KEY = 255;

/** `/v1/deliveries`: what was sent, what waits, and how it went. */
export const deliveryRoutes = (deps: Deps): Operation[] => [
  listDeliveries(deps),
  getDelivery(deps),
  redeliver(deps),
  redeliverRange(deps),
];

const listDeliveries = ({ outbox }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/deliveries",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "List deliveries",
      description: "Of the last thirty days.",
      query: Type.Object({
        subscription_id: Type.Optional(Uuid),
        issue_id: Type.Optional(Uuid),
        state: Type.Optional(oneOf(DELIVERY_STATES)),
        type: Type.Optional(Type.String({ maxLength: 100 })),
        ...pageFields,
      }),
      answers: { 200: { description: "The page, newest first", schema: DeliveriesPage } },
    },
    async ({ query: { subscription_id, issue_id, state, type, limit, offset }, caller }) => {
      const filter = { subscriptionId: subscription_id, issueId: issue_id, state, type };
      const found = await outbox.list(workspaceOf(caller), filter, { limit, offset });
      return json({ resources: found.map(shownDelivery), offset: offset + found.length });
    },
  );

const getDelivery = ({ outbox }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/deliveries/:delivery_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Get a delivery with its body and its attempts",
      params,
      answers: { 200: { description: "The delivery", schema: ShownWholeDelivery }, 404: gone },
    },
    async ({ path, caller }) => {
      const workspaceId = workspaceOf(caller);
      const delivery = await outbox.get(workspaceId, path.delivery_id);
      return json(shownWholeDelivery(delivery, await outbox.attempts(workspaceId, path.delivery_id)));
    },
  );

const redeliver = ({ outbox }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/deliveries/:delivery_id/redeliver",
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: "Send a delivery again",
      description: "Berth sends the same id and the same bytes, in addition to its four attempts.",
      params,
      body: Type.Optional(Type.Object({})),
      answers: {
        202: { description: "The delivery", schema: ShownDelivery },
        404: gone,
        409: "Berth is sending it now, or its subscription is disabled or deleted",
      },
    },
    async ({ path, caller }) =>
      json(shownDelivery(await outbox.redeliver(workspaceOf(caller), path.delivery_id)), 202),
  );

const redeliverRange = ({ outbox, now }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/deliveries/redeliver",
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: "Send again all deliveries of a time that did not arrive",
      description:
        "At most the newest 10,000. If you repeat the request with the same `Idempotency-Key`, nothing happens, and the answer is the same.",
      body: Type.Object({
        since: Instant,
        until: optional(Instant),
        status: optional(oneOf(["dead", "cancelled"])),
        subscription_id: optional(Uuid),
      }),
      answers: {
        202: {
          description: "How many deliveries Berth sends again",
          schema: Redelivery,
        },
      },
    },
    async ({ body, request, caller }) => {
      const since = momentOf("body", "since", body.since) ?? 0;
      const until = momentOf("body", "until", body.until) ?? now();
      const range = {
        since,
        until,
        status: body.status ?? undefined,
        subscriptionId: body.subscription_id?.toLowerCase(),
      };
      const key = keyOf(request);
      return json({ queued: await outbox.redeliverRange(workspaceOf(caller), range, key) }, 202);
    },
  );

/** @throws Invalid the key is too long to be kept */
function keyOf({ headers }: Request): string | undefined {
  const key = headers.get("idempotency-key") || undefined;
  if (key === undefined || key.length <= LONGEST_KEY) return key;
  const msg = `A key should have at most ${LONGEST_KEY} characters`;
  throw new Invalid([{ loc: ["header", "idempotency-key"], msg, type: "string_too_long" }]);
}
