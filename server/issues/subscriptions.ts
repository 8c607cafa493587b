import type { Subscription } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import {
  authorOf,
  empty,
  json,
  type Operation,
  operation,
  optional,
  SECRET_FIELD,
  Uuid,
  workspaceOf,
} from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { pageFields } from "./filters.ts";
import { checkChange, checkSecret, checkSubscription } from "./subscription-rules.ts";
import {
  EventType,
  Severity,
  ShownDelivery,
  ShownMissed,
  ShownNewSubscription,
  ShownSubscription,
  SubscriptionsPage,
  shownDelivery,
  shownMissed,
  shownSubscription,
} from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "subscriptions" | "outbox" | "reach" | "hasChat">;

const tag = "Webhooks";
const params = Type.Object({ webhook_id: Uuid });
const gone = "No such subscription";
const theSubscription = { description: "The subscription", schema: ShownSubscription };
const withSecret = { description: "The subscription, with its secret", schema: ShownNewSubscription };

const Secret = Type.String({
  maxLength: 1_000,
  format: "unicode",
  description: "At least 24 bytes.",
  ...SECRET_FIELD,
});
const EventTypes = Type.Array(EventType, { minItems: 1, maxItems: 100 });
const Url = Type.String({ description: "`https://…` or `http://…`" });
/** Who knows a channel's address may write into it, and headers are what a receiver knows us by. */
const Channel = Type.String({
  minLength: 1,
  maxLength: 2_048,
  format: "unicode",
  pattern: "^[^\\s].*$",
  ...SECRET_FIELD,
});
const Headers = Type.Record(Type.String(), Type.String(), SECRET_FIELD);

/** `/v1/issue-webhooks`: who wants to hear of which events. */
export const subscriptionRoutes = (deps: Deps): Operation[] => [
  listSubscriptions(deps),
  createSubscription(deps),
  getSubscription(deps),
  getMissed(deps),
  patchSubscription(deps),
  deleteSubscription(deps),
  rollSecret(deps),
  testSubscription(deps),
  switchSubscription(
    deps,
    "enable",
    "Berth does not send missed deliveries by itself: ask for a redelivery.",
  ),
  switchSubscription(deps, "disable", "Berth cancels its waiting deliveries."),
];

const listSubscriptions = ({ subscriptions }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/issue-webhooks",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "List subscriptions",
      query: Type.Object({ session_id: Type.Optional(Uuid), ...pageFields }),
      answers: { 200: { description: "The page, newest first", schema: SubscriptionsPage } },
    },
    async ({ query: { session_id, limit, offset }, caller }) => {
      const filter = { sessionId: session_id };
      const found = await subscriptions.list(workspaceOf(caller), filter, { limit, offset });
      return json({ resources: found.map(shownSubscription), offset: offset + found.length });
    },
  );

const createSubscription = ({ subscriptions, reach, hasChat }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/issue-webhooks",
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: "Subscribe to events",
      description: "Set either `url` or `channel`, not both. Only this answer shows the secret.",
      body: Type.Object({
        session_id: optional(Uuid),
        url: optional(Url),
        channel: optional(Channel),
        severity_threshold: Severity,
        event_types: optional(EventTypes),
        headers: optional(Headers),
        secret: optional(Secret),
      }),
      answers: { 201: withSecret, 404: "No such tracing project", 409: "The workspace has 200 already" },
    },
    async ({ body, caller }) => {
      const wanted = {
        url: body.url ?? undefined,
        channel: body.channel ?? undefined,
        headers: body.headers ?? undefined,
        secret: body.secret ?? undefined,
      };
      await checkSubscription(wanted, { reach, hasChat });
      const { subscription, secret } = await subscriptions.create(workspaceOf(caller), {
        ...wanted,
        session_id: body.session_id?.toLowerCase(),
        severity_threshold: body.severity_threshold,
        event_types: body.event_types ? [...new Set(body.event_types)] : undefined,
      });
      const { channel } = wanted;
      const shown = { ...shownOnce(subscription, secret), ...(channel !== undefined && { channel }) };
      return json(shown, 201, unkept);
    },
  );

/** An answer with a secret is nothing to keep. */
const unkept = { "cache-control": "no-store" };

const shownOnce = (subscription: Subscription, secret: string | null) => ({
  ...shownSubscription(subscription),
  ...(secret !== null && { secret }),
});

const getSubscription = ({ subscriptions }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/issue-webhooks/:webhook_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Get a subscription",
      params,
      answers: { 200: theSubscription, 404: gone },
    },
    async ({ path, caller }) =>
      json(shownSubscription(await subscriptions.get(workspaceOf(caller), path.webhook_id))),
  );

const getMissed = ({ outbox }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/issue-webhooks/:webhook_id/missed",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Count what a subscription did not get",
      description:
        "Counts the last thirty days. To send these deliveries again, give `since` and `until` of the answer to `POST /v1/deliveries/redeliver`.",
      params,
      answers: {
        200: { description: "How many deliveries, and of what time", schema: ShownMissed },
        404: gone,
      },
    },
    async ({ path, caller }) => json(shownMissed(await outbox.missed(workspaceOf(caller), path.webhook_id))),
  );

const patchSubscription = ({ subscriptions, reach, hasChat }: Deps) =>
  operation(
    {
      method: "PATCH",
      path: "/v1/issue-webhooks/:webhook_id",
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: "Change a subscription",
      description:
        "Deliveries that wait go to the new address. `headers` replaces all present headers; a header with the value `********` keeps its value. `roll` changes the secret.",
      params,
      body: Type.Object({
        session_id: optional(Uuid),
        url: Type.Optional(Url),
        channel: Type.Optional(Channel),
        severity_threshold: Type.Optional(Severity),
        event_types: Type.Optional(EventTypes),
        headers: Type.Optional(Headers),
        secret: Type.Optional(Type.Null({ description: "Only `roll` changes it.", ...SECRET_FIELD })),
      }),
      answers: {
        200: theSubscription,
        404: gone,
        409: "A webhook cannot become a channel, nor a channel a webhook",
      },
    },
    async ({ path, body: { secret: _, ...change }, caller }) => {
      const workspaceId = workspaceOf(caller);
      const { channel } = await subscriptions.get(workspaceId, path.webhook_id);
      await checkChange(change, channel !== null, { reach, hasChat });
      const changed = await subscriptions.patch(workspaceId, path.webhook_id, {
        ...change,
        ...(change.session_id && { session_id: change.session_id.toLowerCase() }),
        ...(change.event_types && { event_types: [...new Set(change.event_types)] }),
      });
      return json(shownSubscription(changed));
    },
  );

const deleteSubscription = ({ subscriptions }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v1/issue-webhooks/:webhook_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Delete a subscription",
      description: "Berth cancels its waiting deliveries. All its deliveries stay in the log.",
      params,
      answers: { 204: "Deleted", 404: gone },
    },
    async ({ path, caller }) => {
      await subscriptions.delete(workspaceOf(caller), path.webhook_id, authorOf(caller));
      return empty();
    },
  );

const rollSecret = ({ subscriptions }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/issue-webhooks/:webhook_id/roll",
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: "Give a subscription a new secret",
      description:
        "The new secret signs everything from now on, also later attempts of older deliveries; the old one signs nothing any more.",
      params,
      body: Type.Optional(Type.Object({ secret: optional(Secret) })),
      answers: { 200: withSecret, 404: gone, 409: "A channel has no secret" },
    },
    async ({ path, body, caller }) => {
      const wanted = body?.secret ?? undefined;
      checkSecret(wanted);
      const rolled = await subscriptions.roll(workspaceOf(caller), path.webhook_id, wanted);
      return json(shownOnce(rolled.subscription, rolled.secret), 200, unkept);
    },
  );

const testSubscription = ({ outbox }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/issue-webhooks/:webhook_id/test",
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: "Send a subscription a sample",
      description:
        "Berth sends an `issue.created`, signed like any other. Its title says that it is a test, its severity is the lowest, and the log marks it.",
      params,
      body: Type.Optional(Type.Object({})),
      answers: {
        202: { description: "The delivery", schema: ShownDelivery },
        404: gone,
        409: "The subscription is disabled",
      },
    },
    async ({ path, caller }) =>
      json(shownDelivery(await outbox.test(workspaceOf(caller), path.webhook_id)), 202),
  );

const switchSubscription = ({ subscriptions }: Deps, to: "enable" | "disable", description: string) =>
  operation(
    {
      method: "POST",
      path: `/v1/issue-webhooks/:webhook_id/${to}`,
      access: issueApi,
      bodyLimit: "process",
      tag,
      summary: to === "enable" ? "Enable a subscription again" : "Disable a subscription",
      description,
      params,
      body: Type.Optional(Type.Object({})),
      answers: { 200: theSubscription, 404: gone },
    },
    async ({ path, caller }) =>
      json(shownSubscription(await subscriptions[to](workspaceOf(caller), path.webhook_id))),
  );
