import type { SecretBox } from "../control/secret-box.ts";
import { SECRET_MASK } from "../control/secret-box.ts";
import type { Database } from "../database.ts";
import { NotFound } from "../errors.ts";
import type { SubscriptionRow } from "./rows.ts";

/** Who wants to hear of which events, and where; without its secrets. */
export type Subscription = Omit<SubscriptionRow, "event_types" | "header_names" | "headers" | "secret"> & {
  event_types: string[];
  /** The values are masked. */
  headers: Record<string, string>;
};

export function toSubscription(row: SubscriptionRow): Subscription {
  const { header_names, headers: _, secret: __, event_types, ...shown } = row;
  const names: string[] = JSON.parse(header_names);
  return {
    ...shown,
    event_types: JSON.parse(event_types),
    headers: Object.fromEntries(names.map((name) => [name, SECRET_MASK])),
  };
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
