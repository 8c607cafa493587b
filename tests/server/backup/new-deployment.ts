import { join } from "node:path";
import { DEFAULT_WORKSPACE, openDatabase } from "@berth/store";

/** Makes a database with one deployment, and returns its id. */
export async function newDeployment(dataDir: string, uid: number): Promise<string> {
  const id = Bun.randomUUIDv7();
  const at = Date.now();
  const db = await openDatabase(`sqlite:${join(dataDir, "berth.db")}`);
  await db.write((tx) =>
    tx
      .insertInto("deployments")
      .values({
        id,
        workspace_id: DEFAULT_WORKSPACE.id,
        name: "a",
        source: "internal_template",
        source_config: "{}",
        secret_names: "[]",
        secrets: "",
        push_secret: "",
        uid,
        status: "READY",
        created_at: at,
        updated_at: at,
      })
      .execute(),
  );
  await db.close();
  return id;
}
