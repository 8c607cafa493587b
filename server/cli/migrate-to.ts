import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CopyNews, copyDatabase, type TableDigest } from "@berth/store";
import { databasePlace, type Settings, shownDatabase } from "../settings/index.ts";

type From = Pick<Settings, "dataDir" | "databaseUrl" | "databaseFile" | "secretsKey">;

/** Copies the database of these settings to another place, says how it goes, and what to do then. */
export async function migrateTo(from: From, given: string, asJson: boolean): Promise<void> {
  const to = databasePlace(given, "--to");
  const begun = performance.now();
  const places = {
    from: { url: from.databaseUrl, name: shownDatabase(from) },
    to: { url: to.databaseUrl, name: shownDatabase(to) },
  };
  if (!asJson) print(`Copying ${places.from.name} to ${places.to.name}.`);
  const digests = await copyDatabase({ ...places, say: asJson ? () => undefined : tell });
  const tookMs = Math.round(performance.now() - begun);
  if (asJson) {
    print(JSON.stringify(reportOf(places, digests, tookMs), null, 2));
    return;
  }
  const rows = sum(digests);
  const tables = `${digests.size} tables with ${rows.toLocaleString("en")} rows`;
  print(`${tables}: counts and checksums are the same on both sides. It took ${seconds(tookMs)}.`);
  for (const line of nextSteps(from, to, given)) print(line);
  if ((digests.get("deployments")?.rows ?? 0) > 0)
    print(to.databaseFile === null ? FILES_STAY : SERVERS_STAY);
}

const FILES_STAY =
  "Set DEPLOYMENT_DATABASES=file: deployments go on with their files in the data folder then. Without it, each begins with an empty database on the server.";
const SERVERS_STAY =
  "Databases of deployments on the server are not copied: copy each by itself, to DATA_DIR/deployments/ID/data/berth.db.";

function tell(news: CopyNews): void {
  if (news.kind === "begun") {
    if (news.how === "resumed") print("An earlier copy was cut short: this one goes on with it.");
    if (news.how === "again") print("The source was used in between: everything is copied again.");
    return;
  }
  // Most tables of most databases are empty.
  if (news.rows === 0) return;
  const counted = `${news.table.padEnd(20)} ${news.rows.toLocaleString("en").padStart(12)} rows`;
  const took = `${counted}  ${seconds(news.ms).padStart(8)}`;
  if (news.kind === "compared") print(`compared  ${took}  checksum ${news.checksum}`);
  else print(`${(news.isWhole ? "copied" : "copying").padEnd(10)}${took}`);
}

function reportOf(
  { from, to }: Record<"from" | "to", { name: string }>,
  digests: ReadonlyMap<string, TableDigest>,
  took_ms: number,
) {
  return { from: from.name, to: to.name, rows: sum(digests), took_ms, tables: Object.fromEntries(digests) };
}

/** What is to be set for the next start. */
function nextSteps(from: From, to: ReturnType<typeof databasePlace>, given: string): string[] {
  const key = join(from.dataDir, "secrets.key");
  const isOnServer = to.databaseFile === null;
  return [
    isOnServer
      ? `Set DATABASE_URL to ${shownDatabase(to)} (with its password), and start Berth.`
      : `Set DATABASE_URL to ${given}, and start Berth.`,
    ...(isOnServer && from.secretsKey === null && existsSync(key)
      ? [`Set SECRETS_KEY to the content of ${key}: a database on a server needs it there.`]
      : []),
    ...(!isOnServer && from.secretsKey !== null
      ? ["Keep SECRETS_KEY: it opens the secrets there, too."]
      : []),
    `Keep the data folder ${from.dataDir}: uploads, builds and what agents keep stay in it.`,
  ];
}

const sum = (digests: ReadonlyMap<string, TableDigest>): number =>
  [...digests.values()].reduce((total, { rows }) => total + rows, 0);

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
