import { expect, test } from "bun:test";
import { ControlLease, DEFAULT_WORKSPACE, Figures, Outbox, SecretBox, Subscriptions } from "@berth/store";
import { withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import { standingClock } from "../every-store.ts";
import { TIMES, twoDatabases, upTo, wellOf } from "./two-databases.ts";

const NOW = 1_000_000_000;

describeUnless(withoutPostgres())("two processes on Postgres that race, beside runs", () => {
  const { at, both, query } = twoDatabases();

  test("lead, one of them, when a lease has lapsed", async () => {
    const clock = standingClock(NOW);
    const isAlive = () => true;
    for (const turn of upTo(TIMES)) {
      const took = await both((db, index) =>
        new ControlLease(db, clock, isAlive).take({
          id: `${turn}-${index}`,
          host: `host-${index}`,
          pid: index + 1,
        }),
      );
      expect(wellOf(took, Error).filter(Boolean)).toHaveLength(1);
      clock.advance(60_000);
    }
  });

  test("lead, one of them, when nobody ever did", async () => {
    const clock = standingClock(NOW);
    for (const turn of upTo(TIMES)) {
      await query("delete from control_lease");
      const took = await both((db, index) =>
        new ControlLease(db, clock, () => true).take({
          id: `${turn}-${index}`,
          host: `h${index}`,
          pid: index + 1,
        }),
      );
      expect(took.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
      expect(wellOf(took, Error).filter(Boolean)).toHaveLength(1);
    }
  });

  test("touch the same rows in opposite order, and both get through", async () => {
    await query(
      `insert into workspaces (id, name, created_at) select 'w' || n, '0', 0 from generate_series(0, 9) n`,
    );
    const bump = (db: ReturnType<typeof at>, ids: number[]) =>
      ids.map((id) =>
        db.write(async (tx) => {
          const { name } = await tx
            .selectFrom("workspaces")
            .select("name")
            .where("id", "=", `w${id}`)
            .executeTakeFirstOrThrow();
          await tx
            .updateTable("workspaces")
            .set({ name: String(Number(name) + 1) })
            .where("id", "=", `w${id}`)
            .execute();
        }),
      );
    const turns = TIMES;
    for (const _ of upTo(turns)) {
      await Promise.all([...bump(at(0), upTo(10)), ...bump(at(1), upTo(10).reverse())]);
    }
    const rows = await query("select name from workspaces where id like 'w%'");
    expect(rows.map(({ name }) => Number(name))).toEqual(upTo(10).map(() => 2 * turns));
  });

  test("touch the same rows in opposite order within scopes, and both get through", async () => {
    await query(
      `insert into workspaces (id, name, created_at) select 's' || n, '0', 0 from generate_series(0, 9) n`,
    );
    const bump = (db: ReturnType<typeof at>, ids: number[]) =>
      ids.map((id) =>
        db.write(
          async (tx) => {
            const { name } = await tx
              .selectFrom("workspaces")
              .select("name")
              .where("id", "=", `s${id}`)
              .executeTakeFirstOrThrow();
            await tx
              .updateTable("workspaces")
              .set({ name: String(Number(name) + 1) })
              .where("id", "=", `s${id}`)
              .execute();
          },
          { scope: [`row:${id}`] },
        ),
      );
    const turns = TIMES;
    for (const _ of upTo(turns)) {
      await Promise.all([...bump(at(0), upTo(10)), ...bump(at(1), upTo(10).reverse())]);
    }
    const rows = await query("select name from workspaces where id like 's%'");
    expect(rows.map(({ name }) => Number(name))).toEqual(upTo(10).map(() => 2 * turns));
  });

  test("send no more of one subscription at once than its limit", async () => {
    const clock = standingClock(NOW);
    const box = new SecretBox("a passphrase of tests");
    const outboxOf = (index: number) =>
      new Outbox(at(index), clock, box, { publicUrl: "https://berth.example.com", backoff: () => 0 });
    await new Subscriptions(at(0), clock, box).create(DEFAULT_WORKSPACE.id, {
      url: "http://127.0.0.1:1/",
      severity_threshold: 3,
    });
    const limits = { total: 10, perSubscription: 3 };
    for (const _ of upTo(TIMES)) {
      await at(0).write((tx) => outboxOf(0).enqueue(tx, upTo(6).map(issue)));
      const claims = await both((_db, index) =>
        outboxOf(index).claim(`process-${index}`, clock.now(), limits),
      );
      const claimed = wellOf(claims, Error).flat();
      expect(claimed).toHaveLength(3);
      expect(new Set(claimed.map(({ id }) => id)).size).toBe(3);
      await query("update deliveries set state = 'delivered', owner = null, lease_until = null");
    }
  });

  test("add up figures of the same minute", async () => {
    const clock = standingClock(NOW);
    const row = {
      ...{ deployment_id: "d", minute: NOW, requests: 1, errors: 1 },
      ...{ p50_ms: null, p95_ms: null, open_streams: 0, memory_bytes: null },
    };
    const turns = TIMES;
    for (const _ of upTo(turns)) {
      const added = await both((db) => new Figures(db, clock).add([row]));
      expect(added.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    }
    expect(await new Figures(at(0), clock).read("d", 10)).toMatchObject([
      { requests: 2 * turns, errors: 2 * turns },
    ]);
  });
});

const issue = () => ({
  type: "issue.created" as const,
  workspaceId: DEFAULT_WORKSPACE.id,
  sessionId: null,
  requestId: Bun.randomUUIDv7(),
  severity: 1,
  data: {
    object: { id: Bun.randomUUIDv7(), name: "it fails", description: "", severity: 1, session_name: "s" },
  },
});
