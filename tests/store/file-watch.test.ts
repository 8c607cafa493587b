import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@berth/store";
import { until } from "../e2e/condition.ts";
import { because, testUnless } from "../skips.ts";
import { temporaryFolder } from "./every-store.ts";

const notLinux = because(process.platform !== "linux", "only Linux tells of it");

testUnless(notLinux)(
  "a database file notifies of the commits of other connections, and counts all",
  async () => {
    const folder = temporaryFolder();
    const url = `sqlite:${join(folder, "berth.db")}`;
    const [one, other] = [await openDatabase(url), await openDatabase(url)];
    try {
      expect(one.notifiesForeign()).toBe(true);
      const heard: unknown[] = [];
      one.onForeign((changed) => heard.push(changed));
      const write = (db: typeof one, name: string) =>
        db.write((tx) => tx.insertInto("control_counters").values({ name, last: 0 }).execute());
      const before = [one.changes(), other.changes()];
      await write(other, "there");
      await until("the notice", async () => heard.length > 0);
      expect(one.changes()).toBeGreaterThan(before[0] ?? 0);
      const afterwards = one.changes();
      await write(one, "here");
      expect(one.changes()).toBeGreaterThan(afterwards ?? 0);
      // What writes nothing changes nothing: otherwise a look would be a reason for the next.
      const written = one.changes();
      await one.write((tx) => tx.deleteFrom("control_counters").where("name", "=", "nowhere").execute());
      expect(one.changes()).toBe(written);
      expect(heard.every((changed) => changed === "anything")).toBe(true);
    } finally {
      await one.close();
      await other.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test("without notices the version tells", async () => {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, "berth.db")}`;
  const [one, other] = [await openDatabase(url), await openDatabase(url)];
  try {
    const before = one.changes() ?? 0;
    await other.write((tx) => tx.insertInto("control_counters").values({ name: "x", last: 0 }).execute());
    expect(one.changes()).toBeGreaterThan(before);
  } finally {
    await one.close();
    await other.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
