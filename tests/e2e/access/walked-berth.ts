import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseSettings, forgetDatabase } from "../../postgres/for-data.ts";
import { FIXTURES, OUTLIVED } from "../berth-process.ts";
import { query } from "../stored.ts";
import type { Declared, Who } from "./outcomes.ts";

export const SERVICE_KEY = "the-service-key-of-this-test";
export const GATEWAY_TOKEN = "the-token-of-the-gateway-of-this-test-0123456789";

/** Keys of the server that has some. */
const KEYS: Partial<Record<Who, { secret: string; scope: string; isForeign?: true }>> = {
  "workspace key": { secret: "berth_of_the_workspace", scope: "workspace" },
  "other workspace's key": { secret: "berth_of_another_one", scope: "workspace", isForeign: true },
  "organization key": { secret: "berth_of_the_organization", scope: "organization" },
  "metrics key": { secret: "berth_for_metrics", scope: "metrics" },
};
export const keyOf = (who: Who): string => KEYS[who]?.secret ?? SERVICE_KEY;

export type WalkedOptions = { isDeployed?: boolean; isKeyless?: boolean; project?: string };
export type Walked = {
  url: string;
  operations: Declared[];
  /** The id of the workspace that its process serves. */
  workspaceId: string;
  stop(): Promise<void>;
};

/** A whole Berth, or what a deployment runs, that says what it declares. */
export async function startDeclared(options: WalkedOptions): Promise<Walked> {
  const { isDeployed = false, isKeyless = false, project = FIXTURES } = options;
  const data = mkdtempSync(join(tmpdir(), "berth-access-"));
  const script = join(import.meta.dir, "declared.ts");
  const child = Bun.spawn([process.execPath, script, project, data, isDeployed ? "yes" : "no"], {
    cwd: project,
    env: {
      ...{ ...process.env, ...OUTLIVED, LOG_LEVEL: "error", ...(await databaseSettings(data)) },
      ...(isDeployed ? { GATEWAY_TOKEN } : { BERTH_TEST: "1" }),
      ...(!isDeployed && !isKeyless && { SERVICE_API_KEY: SERVICE_KEY }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const bytes of child.stdout) {
    said += new TextDecoder().decode(bytes);
    if (said.includes("\n")) break;
  }
  const line = said.split("\n").find((text) => text.startsWith('{"url"')) ?? "";
  const { url, operations } = JSON.parse(line) as Pick<Walked, "url" | "operations">;
  const workspaceId = isDeployed || isKeyless ? "" : await addKeys(data);
  const stop = async () => {
    child.kill("SIGKILL");
    await child.exited;
    rmSync(data, { recursive: true, force: true });
    await forgetDatabase(data);
  };
  return { url, operations, workspaceId, stop };
}

async function addKeys(data: string): Promise<string> {
  const [found] = await query<{ id: string }>(data, "select id from workspaces limit 1");
  if (!found) throw new Error("there is no workspace");
  await query(data, "insert into workspaces (id, name, created_at) values ('w2', 'other', 1)");
  for (const { secret, scope, isForeign } of Object.values(KEYS)) {
    const hash = new Bun.CryptoHasher("sha256").update(secret).digest("hex");
    await query(
      data,
      "insert into api_keys (id, workspace_id, name, hash, hint, created_at, scope) values (?, ?, 'k', ?, 'h', 1, ?)",
      ...[crypto.randomUUID(), isForeign ? "w2" : found.id, hash, scope],
    );
  }
  return found.id;
}

/** What all processes have, each once: of the deployed one what only it has. */
export function declaredBy(whole: Walked, deployed: Walked): Declared[] {
  const own = deployed.operations.filter(({ asks }) => asks === "gateway token");
  return [...whole.operations, ...own];
}
