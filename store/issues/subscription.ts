import { type Database, prepared, type Tx } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { DeliveryRow, SubscriptionRow } from "../schema/index.ts";
import { SECRET_MASK, type SecretBox } from "../secrets/index.ts";

/** Who wants to hear of which events, and where; without its secrets. */
export type Subscription = Omit<SubscriptionRow, "event_types" | "header_names" | "headers" | "secret"> & {
  event_types: string[];
  /** The values are masked. */
  headers: Record<string, string>;
};

/** The row of a subscription of any workspace. */
export const selectSubscription = prepared<{ id: string }, SubscriptionRow>((db, { id }) =>
  db.selectFrom("subscriptions").selectAll().where("id", "=", id),
);

/** Whom a delivery is for; undefined when it goes to an address, or its subscription was deleted. */
export async function subscriptionOf(
  tx: Tx,
  { subscription_id: id }: Pick<DeliveryRow, "subscription_id">,
): Promise<SubscriptionRow | undefined> {
  return id === null ? undefined : (await selectSubscription(tx, { id }))[0];
}

export function toSubscription(row: SubscriptionRow): Subscription {
  const { header_names, headers: _, secret: __, event_types, channel, ...shown } = row;
  const names: string[] = JSON.parse(header_names);
  return {
    ...shown,
    channel: channel && maskedChannel(channel),
    event_types: JSON.parse(event_types),
    headers: Object.fromEntries(names.map((name) => [name, SECRET_MASK])),
  };
}

/** Whether a channel is the address of a chat's incoming webhook: whoever knows it can write there. */
const isAddress = (channel: string) => /^https?:\/\//i.test(channel);

/** A channel as it is shown: of an address no more than its host. */
export function maskedChannel(channel: string): string {
  if (!isAddress(channel)) return channel;
  const origin = URL.canParse(channel) ? new URL(channel).origin : "https://";
  return `${origin}/${SECRET_MASK}`;
}

/** The columns of a channel: an address is sealed. */
export function sealedChannel(
  box: SecretBox,
  channel: string,
  owner: string,
): Pick<SubscriptionRow, "channel" | "secret"> {
  if (!isAddress(channel)) return { channel, secret: null };
  return { channel: maskedChannel(channel), secret: box.seal(channel, owner) };
}

/**
 * What takes one message at a time, and in their order: a channel by its name, or the one that only this subscription
 * has the address of. Undefined for a webhook.
 */
export function paceOf({ id, channel, secret }: Pick<SubscriptionRow, "id" | "channel" | "secret">) {
  if (channel === null) return undefined;
  return secret === null ? channel : id;
}

/**
 * The channel that messages go to.
 * @throws WrongSecretsKey
 */
export function openChannel(box: SecretBox, { id, channel, secret }: SubscriptionRow): string | null {
  return channel === null || secret === null ? channel : box.open(secret, id);
}

/** @throws NotFound */
export async function getSubscriptionRow(
  db: Database["read"],
  workspaceId: string,
  id: string,
): Promise<SubscriptionRow> {
  const row = await db
    .selectFrom("subscriptions")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new NotFound("Webhook subscription not found");
  return row;
}

/**
 * The headers that a subscription or a delivery has of its own.
 * @throws WrongSecretsKey
 */
export function openHeaders(box: SecretBox, sealed: string | null, owner: string): Record<string, string> {
  return sealed === null ? {} : JSON.parse(box.open(sealed, owner));
}
