import { randomBytes } from "node:crypto";
import { type Author, noteDeletion } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import { type Database, prepared, type Tx } from "../database/index.ts";
import { Conflict, Invalid, NotFound } from "../errors.ts";
import type { SubscriptionRow } from "../schema/index.ts";
import { LOST, SECRET_MASK, type SecretBox } from "../secrets/index.ts";
import { cancelQueued, DELETED, DISABLED } from "./cancellation.ts";
import { hostOf } from "./enqueue.ts";
import { DEFAULT_EVENT_TYPES } from "./event-types.ts";
import {
  getSubscriptionRow,
  maskedChannel,
  openHeaders,
  type Subscription,
  sealedChannel,
  toSubscription,
} from "./subscription.ts";

export type NewSubscription = {
  session_id?: string | null | undefined;
  /** Exactly one of the two. */
  url?: string | undefined;
  channel?: string | undefined;
  severity_threshold: number;
  /** Without any, only `issue.created`. */
  event_types?: readonly string[] | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Without one, it gets 32 random bytes. A channel has none. */
  secret?: string | undefined;
};

/** What is to be different; a masked header keeps its value. */
type SubscriptionPatch = Partial<Omit<NewSubscription, "secret">>;

const SECRET_BYTES = 32;
const MOST = 200;

const selectSecret = prepared<{ id: string }, Pick<SubscriptionRow, "secret">>((db, { id }) =>
  db.selectFrom("subscriptions").select("secret").where("id", "=", id).where("channel", "is", null),
);

/** The subscriptions to events, by webhook or to a chat channel. */
export class Subscriptions {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  /**
   * Creates a subscription. Its secret is in this answer, and in none later.
   * @throws NotFound there is no such tracing project
   * @throws Conflict the workspace has 200 already
   */
  async create(
    workspaceId: string,
    wanted: NewSubscription,
  ): Promise<{ subscription: Subscription; secret: string | null }> {
    const secret = wanted.channel === undefined ? (wanted.secret ?? newSecret()) : null;
    const row = this.#newRow(workspaceId, wanted, secret);
    await this.db.write(async (tx) => {
      await refuseUnknownSession(tx, workspaceId, row.session_id);
      await refuseTooMany(tx, workspaceId);
      await tx.insertInto("subscriptions").values(row).execute();
    });
    return { subscription: toSubscription(row), secret };
  }

  /** @throws NotFound */
  async get(workspaceId: string, id: string): Promise<Subscription> {
    return toSubscription(await getSubscriptionRow(this.db.read, workspaceId, id));
  }

  /** A page of the subscriptions, newest first. */
  async list(
    workspaceId: string,
    { sessionId }: { sessionId?: string | undefined },
    page: { limit: number; offset: number },
  ): Promise<Subscription[]> {
    const rows = await this.db.read
      .selectFrom("subscriptions")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .$if(sessionId !== undefined, (query) => query.where("session_id", "=", sessionId ?? ""))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(page.limit)
      .offset(page.offset)
      .execute();
    return rows.map(toSubscription);
  }

  /**
   * Changes a subscription; what waits to be sent goes where it says then.
   * @throws NotFound
   * @throws Invalid a mask stands for nothing, or would send what it stands for to another host
   * @throws Conflict it would become a channel, or a URL
   */
  async patch(workspaceId: string, id: string, patch: SubscriptionPatch): Promise<Subscription> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const row = await getSubscriptionRow(tx, workspaceId, id);
      const { url, channel, severity_threshold, event_types, session_id } = patch;
      if ((url !== undefined && row.url === null) || (channel !== undefined && row.channel === null)) {
        throw new Conflict(
          "A webhook cannot become a channel, nor a channel a webhook: create another subscription.",
        );
      }
      await refuseUnknownSession(tx, workspaceId, session_id ?? null);
      refuseKeptElsewhere(row, patch);
      const changed = {
        ...row,
        ...(url !== undefined && { url }),
        ...(channel !== undefined && this.#otherChannel(row, channel)),
        ...(isElsewhere(row, patch) && startedAnew(row)),
        ...(session_id !== undefined && { session_id }),
        ...(severity_threshold !== undefined && { severity_threshold }),
        ...(event_types !== undefined && { event_types: JSON.stringify(event_types) }),
        ...(patch.headers && this.#sealed(id, this.#unmasked(row, patch.headers))),
        updated_at: now,
      };
      await tx.updateTable("subscriptions").set(changed).where("id", "=", id).execute();
      return toSubscription(changed);
    });
  }

  /**
   * Deletes a subscription: what waits for it is cancelled, and stays in the log.
   * @throws NotFound
   */
  async delete(workspaceId: string, id: string, by: Author | null = null): Promise<void> {
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      const { url, channel } = await getSubscriptionRow(tx, workspaceId, id);
      // Of an address no more than its host: the rest may be a secret.
      const name = channel === null ? hostOf(url ?? "") : maskedChannel(channel);
      await noteDeletion(tx, { workspace_id: workspaceId, kind: "webhook", target_id: id, name }, by, now);
      await tx.deleteFrom("subscriptions").where("id", "=", id).execute();
      await cancelQueued(tx, id, DELETED, now);
    });
  }

  /**
   * Gives a subscription another secret: whatever is signed from now on, is signed with that one.
   * @throws NotFound
   * @throws Conflict a channel has no secret
   */
  async roll(
    workspaceId: string,
    id: string,
    secret: string = newSecret(),
  ): Promise<{ subscription: Subscription; secret: string }> {
    const sealed = this.box.seal(secret, id);
    const row = await this.#change(workspaceId, id, (there) => {
      if (there.channel !== null) throw new Conflict("A channel has no secret.");
      return { secret: sealed };
    });
    return { subscription: row, secret };
  }

  /**
   * Lets a subscription have events again. What it missed stays cancelled, until somebody asks for it.
   * @throws NotFound
   */
  enable(workspaceId: string, id: string): Promise<Subscription> {
    return this.#change(workspaceId, id, ({ state, secret, headers }) => {
      if (secret === LOST || headers === LOST)
        throw new Conflict(
          "The secrets of the subscription are lost, because their key is lost: set its secret and its headers first.",
        );
      return state === "disabled" ? { state: "active", failures: 0, failing_since: null, notice: null } : {};
    });
  }

  /**
   * Sends a subscription nothing any more; what waits for it, and what comes while it is disabled, is cancelled.
   * @throws NotFound
   */
  async disable(workspaceId: string, id: string): Promise<Subscription> {
    return this.#change(
      workspaceId,
      id,
      ({ state }) => (state === "disabled" ? {} : { state: "disabled", notice: "Somebody disabled it." }),
      (tx, now) => cancelQueued(tx, id, DISABLED, now),
    );
  }

  /**
   * The secret of this moment, of a subscription of any workspace; undefined for a channel or one that is gone.
   * @throws WrongSecretsKey
   */
  async secretOf(id: string): Promise<string | undefined> {
    const [row] = await selectSecret(this.db.read, { id });
    return row?.secret ? this.box.open(row.secret, id) : undefined;
  }

  #change(
    workspaceId: string,
    id: string,
    change: (row: SubscriptionRow) => Partial<SubscriptionRow>,
    and?: (tx: Tx, now: number) => Promise<void>,
  ): Promise<Subscription> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const row = await getSubscriptionRow(tx, workspaceId, id);
      const changed = { ...change(row), updated_at: now };
      await tx.updateTable("subscriptions").set(changed).where("id", "=", id).execute();
      await and?.(tx, now);
      return toSubscription({ ...row, ...changed });
    });
  }

  #newRow(workspaceId: string, wanted: NewSubscription, secret: string | null): SubscriptionRow {
    const now = this.clock.now();
    const id = Bun.randomUUIDv7();
    const { session_id = null, url = null, channel = null, severity_threshold } = wanted;
    return {
      id,
      workspace_id: workspaceId,
      session_id,
      url,
      severity_threshold,
      event_types: JSON.stringify(wanted.event_types ?? DEFAULT_EVENT_TYPES),
      ...this.#sealed(id, wanted.headers ?? {}),
      ...(channel === null
        ? { channel, secret: secret === null ? null : this.box.seal(secret, id) }
        : sealedChannel(this.box, channel, id)),
      state: "active",
      failures: 0,
      failing_since: null,
      notice: null,
      created_at: now,
      updated_at: now,
    };
  }

  #sealed(id: string, headers: Readonly<Record<string, string>>) {
    const names = Object.keys(headers);
    return {
      header_names: JSON.stringify(names),
      headers: names.length > 0 ? this.box.seal(JSON.stringify(headers), id) : null,
    };
  }

  /** @throws Invalid it is masked, and not the one that is there */
  #otherChannel(row: SubscriptionRow, channel: string): Partial<SubscriptionRow> {
    if (row.channel !== null && channel === maskedChannel(row.channel)) return {};
    if (channel.endsWith(SECRET_MASK)) throw Invalid.body("channel", "There is no such address to keep");
    return sealedChannel(this.box, channel, row.id);
  }

  /** Headers with the values that are masked in them. @throws Invalid there is no such value */
  #unmasked(row: SubscriptionRow, headers: Readonly<Record<string, string>>): Record<string, string> {
    const known = new Map(
      Object.entries(openHeaders(this.box, row.headers === LOST ? null : row.headers, row.id)).map(
        ([name, value]) => [name.toLowerCase(), value],
      ),
    );
    const values = Object.entries(headers).map(([name, value]) => {
      const kept = value === SECRET_MASK ? known.get(name.toLowerCase()) : value;
      if (kept === undefined) throw Invalid.body("headers", `There is no value of ${name} to keep`, name);
      return [name, kept];
    });
    return Object.fromEntries(values);
  }
}

/** Nobody reads a header's value, so nobody may have it sent to a host of their choice either. */
function refuseKeptElsewhere(row: SubscriptionRow, { url, headers }: SubscriptionPatch): void {
  if (url === undefined || row.url === null || hostnameOf(url) === hostnameOf(row.url)) return;
  const keeps = headers ? Object.values(headers).includes(SECRET_MASK) : row.headers !== null;
  if (keeps)
    throw Invalid.body("headers", "The address has another host: write the values of its headers again");
}

const hostnameOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : "");

const isElsewhere = (row: SubscriptionRow, { url, channel }: SubscriptionPatch) =>
  (url !== undefined && url !== row.url) || (channel !== undefined && channel !== row.channel);

/** Failures of the address before say nothing of this one. */
const startedAnew = ({ state }: SubscriptionRow): Partial<SubscriptionRow> =>
  state === "disabled" ? {} : { state: "active", failures: 0, failing_since: null };

/** In the form that Standard Webhooks gives to secrets. */
const newSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;

async function refuseUnknownSession(tx: Tx, workspaceId: string, sessionId: string | null): Promise<void> {
  if (sessionId === null) return;
  const session = await tx
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!session) throw new NotFound("Tracing project not found");
}

async function refuseTooMany(tx: Tx, workspaceId: string): Promise<void> {
  const { total } = await tx
    .selectFrom("subscriptions")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  if (Number(total) >= MOST) throw new Conflict(`A workspace has at most ${MOST} webhook subscriptions.`);
}
