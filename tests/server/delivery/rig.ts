import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  type Database,
  DEFAULT_WORKSPACE,
  Outbox,
  openDatabase,
  SecretBox,
  Subscriptions,
} from "@berth/store";
import { getLogger } from "@logtape/logtape";
import type { ChatSettings } from "../../../server/delivery/chat.ts";
import { Courier, type CourierParts } from "../../../server/delivery/courier.ts";
import { Drain, type DrainParts } from "../../../server/delivery/drain.ts";
import { plannedWaitMs } from "../../../server/outgoing/outgoing.ts";
import { Reach } from "../../../server/reach/reach.ts";
import { until } from "../../e2e/condition.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { standingClock, temporaryFolder } from "../../store/every-store.ts";

export const WORKSPACE = DEFAULT_WORKSPACE.id;
const PLAN = [10, 60, 360];

/** Reaches the receivers of tests. */
export const reach = new Reach(["127.0.0.0/8"]);

export type RigOptions = Partial<Pick<CourierParts, "chat" | "local" | "timeoutMs" | "reach" | "resolve">> &
  Partial<Pick<DrainParts, "places" | "passes" | "log">> & {
    /** Seconds before each retry. */
    plan?: readonly number[];
  };

/** An outbox on a file, and a drain that is turned by hand, on a clock that stands still. */
export async function deliveryRig(options: RigOptions = {}) {
  const folder = temporaryFolder();
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
  const clock = standingClock();
  const parts = partsOn(db, clock, options);
  const { drain, outbox } = parts;
  return {
    ...{ db, clock, ...parts },
    /** Sends what is due now, and everything that becomes due by it. */
    settle: async () => {
      await drain.once();
      await until(
        "nothing to be on its way",
        async () => {
          const { due, leased } = await outbox.depth(clock.now());
          return due + leased + drain.underWay;
        },
        (left) => left === 0,
      );
    },
    close: async () => {
      await drain.stop(0);
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const noChat: ChatSettings = { apiUrl: null, token: null };

export function partsOn(db: Database, clock: { now(): number }, options: RigOptions) {
  const { places, passes, log = getLogger(["berth", "webhooks"]), chat = noChat, local = null } = options;
  const box = new SecretBox("a passphrase of tests");
  const backoff = (attempt: number) => plannedWaitMs(options.plan ?? PLAN, attempt, 0);
  const outbox = new Outbox(db, clock, box, { publicUrl: "https://berth.example.com", backoff });
  const subscriptions = new Subscriptions(db, clock, box);
  const now = () => clock.now();
  const secretOf = (id: string) => subscriptions.secretOf(id);
  const { timeoutMs, resolve } = options;
  const courier = new Courier({
    ...{ reach: options.reach ?? reach, chat, local, now, secretOf },
    ...(timeoutMs && { timeoutMs }),
    ...(resolve && { resolve }),
  });
  const drain = new Drain({
    ...{ outbox, courier, now, log, owner: Bun.randomUUIDv7() },
    ...(places && { places }),
    ...(passes && { passes }),
  });
  /** Puts so many issues into the outbox, as one deed. */
  const open = async (count: number, name = "search: é \u2028 🌍 1.0") => {
    await db.write((tx) =>
      outbox.enqueue(
        tx,
        Array.from({ length: count }, () => issue(name)),
      ),
    );
  };
  return { outbox, subscriptions, drain, open };
}

const issue = (name: string) => ({
  type: "issue.created" as const,
  workspaceId: WORKSPACE,
  sessionId: null,
  requestId: Bun.randomUUIDv7(),
  severity: 1,
  data: {
    object: { id: Bun.randomUUIDv7(), name, description: "It fails.", severity: 1, session_name: "shop" },
  },
});
