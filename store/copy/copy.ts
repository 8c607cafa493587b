import { isPostgresUrl, openDatabase } from "../database/index.ts";
import { looking, schemaStatus } from "../operations/index.ts";
import type { CopiedTable } from "./copied-table.ts";
import { type CopyEnd, CopyRefused } from "./copy-end.ts";
import { Digester, type TableDigest } from "./digest.ts";
import { PostgresEnd } from "./postgres-end.ts";
import { SqliteEnd } from "./sqlite-end.ts";

/** A database of a copy: its address, and what people call it. */
export type CopyPlace = { url: string; name: string };

/** What a copy is at, for whoever waits. */
export type CopyNews =
  | { kind: "begun"; how: "new" | "resumed" | "again" }
  /** Rows of this call so far; the last news of a table has `isWhole`. */
  | { kind: "copied"; table: string; rows: number; ms: number; isWhole: boolean }
  | ({ kind: "compared"; table: string; ms: number } & TableDigest);

type CopyOrder = { from: CopyPlace; to: CopyPlace; say?: (news: CopyNews) => void };

/** Tables that have rows in a new database already, and how many. */
const SEEDED: Record<string, number> = { workspaces: 1, vector_counter: 1, control_counters: 4 };
const NEWS_EVERY_MS = 1_000;

/**
 * Copies everything in a database into a new one of the other engine, and compares the two. A call that was cut short
 * is gone on with by the next one.
 * @returns what both have, by table
 * @throws CopyRefused somebody uses one of the two, or they do not fit; NotCopyable
 */
export async function copyDatabase({
  from,
  to,
  say = () => undefined,
}: CopyOrder): Promise<Map<string, TableDigest>> {
  if (isPostgresUrl(from.url) === isPostgresUrl(to.url))
    throw new CopyRefused(
      "a copy goes from a SQLite file to a Postgres server, or back: this is the same engine",
    );
  await requireOurSchema(from);
  await prepareTarget(to);
  const source = await openEnd(from, "source");
  try {
    const target = await openEnd(to, "target");
    try {
      return await new Copy(source, target, say).run();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** @throws CopyRefused */
async function requireOurSchema({ url, name }: CopyPlace): Promise<void> {
  const { applied, pending, unknown } = await schemaStatus(url);
  if (unknown.length > 0)
    throw new CopyRefused(`a newer Berth has written ${name} (${unknown.join(", ")}): copy it with that one`);
  if (applied.length === 0) throw new CopyRefused(`${name} is no database of Berth`);
  if (pending.length > 0)
    throw new CopyRefused(
      `${name} is that of an older Berth (${pending.join(", ")} not done): run "berth migrate --apply" on it first`,
    );
}

/** Makes the tables, where there are none. @throws CopyRefused */
async function prepareTarget(to: CopyPlace): Promise<void> {
  const names = await namesIn(to);
  if (names.includes("berth_migrations")) return requireOurSchema(to);
  if (names.length > 0)
    throw new CopyRefused(`${to.name} has other tables (${names[0]}): name an empty database`);
  await (await openDatabase(to.url)).close();
}

async function namesIn({ url }: CopyPlace): Promise<string[]> {
  const file = isPostgresUrl(url) ? null : Bun.file(url.replace(/^sqlite:/, ""));
  if (file && !(await file.exists())) return [];
  return looking(url, (look) => look.tableNames());
}

const openEnd = async ({ url, name }: CopyPlace, side: "source" | "target"): Promise<CopyEnd> =>
  isPostgresUrl(url) ? PostgresEnd.open(url, name, side) : new SqliteEnd(url.replace(/^sqlite:/, ""), name);

class Copy {
  constructor(
    private readonly source: CopyEnd,
    private readonly target: CopyEnd,
    private readonly say: (news: CopyNews) => void,
  ) {}

  async run(): Promise<Map<string, TableDigest>> {
    const tables = await this.source.tables();
    requireSame(tables, await this.target.tables());
    const isResumed = await this.#begin(tables);
    this.say({ kind: "begun", how: isResumed ? "resumed" : "new" });
    await this.#copyAll(tables);
    let { digests, wrong } = await this.#compared(tables);
    // The source was used in between.
    if (wrong.length > 0 && isResumed) {
      this.say({ kind: "begun", how: "again" });
      await this.target.begin(tables, this.source.name);
      await this.#copyAll(tables);
      ({ digests, wrong } = await this.#compared(tables));
    }
    if (wrong.length > 0)
      throw new CopyRefused(
        `what was copied is not what is there, in ${wrong.join(", ")}: do not use ${this.target.name}`,
      );
    await this.target.end();
    return digests;
  }

  /** @returns whether an earlier call has begun @throws CopyRefused the target holds something else */
  async #begin(tables: CopiedTable[]): Promise<boolean> {
    const progress = await this.target.progress();
    if (progress !== undefined) {
      if (progress.from === this.source.name) return true;
      throw new CopyRefused(
        `${this.target.name} holds a part of ${progress.from}: go on with that one, or name an empty database`,
      );
    }
    for (const { name } of tables)
      if (await this.target.hasMore(name, SEEDED[name] ?? 0))
        throw new CopyRefused(`${this.target.name} has data of its own (${name}): name an empty database`);
    await this.target.begin(tables, this.source.name);
    return false;
  }

  async #copyAll(tables: CopiedTable[]): Promise<void> {
    const progress = await this.target.progress();
    for (const table of tables) {
      if (progress?.done.has(table.name)) continue;
      await this.#copy(table, progress?.places.get(table.name) ?? null);
    }
  }

  async #copy(table: CopiedTable, behind: string | null): Promise<void> {
    const begun = performance.now();
    let [rows, told] = [0, begun];
    const tell = (isWhole: boolean) => {
      told = performance.now();
      this.say({ kind: "copied", table: table.name, rows, ms: told - begun, isWhole });
    };
    for await (const batch of this.source.read(table, behind)) {
      await this.target.write(table, batch);
      rows += batch.rows.length;
      if (performance.now() - told > NEWS_EVERY_MS) tell(false);
    }
    await this.target.finish(table);
    tell(true);
  }

  /** Reads both through, at the same time. */
  async #compared(tables: CopiedTable[]): Promise<{ digests: Map<string, TableDigest>; wrong: string[] }> {
    const digests = new Map<string, TableDigest>();
    const wrong: string[] = [];
    for (const table of tables) {
      const begun = performance.now();
      const [one, other] = await Promise.all([digestOf(this.source, table), digestOf(this.target, table)]);
      if (one.rows !== other.rows || one.checksum !== other.checksum) wrong.push(table.name);
      digests.set(table.name, one);
      this.say({ kind: "compared", table: table.name, ms: performance.now() - begun, ...one });
    }
    return { digests, wrong };
  }
}

async function digestOf(end: CopyEnd, table: CopiedTable): Promise<TableDigest> {
  const digester = new Digester();
  for await (const { rows } of end.read(table, null)) digester.add(rows);
  return digester.digest;
}

/** Both have had the same migrations; what only one of them has is its own. @throws CopyRefused */
function requireSame(source: readonly CopiedTable[], target: readonly CopiedTable[]): void {
  for (const table of source) {
    const twin = target.find(({ name }) => name === table.name);
    const missing = table.columns.find(
      ({ name, kind }) => !twin?.columns.some((column) => column.name === name && column.kind === kind),
    );
    if (missing) throw new CopyRefused(`the target has no ${table.name}.${missing.name} of the same kind`);
  }
}
