import { chmodSync, copyFileSync, existsSync, lchownSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  atOneMoment,
  claimDatabaseFile,
  type DatabaseFacts,
  databaseFacts,
  databasesThere,
  deploymentDatabaseName,
  dropTables,
  emptiedFault,
  forgetHolders,
  makePrivateFolder,
  markFilling,
  rowsOf,
  schemaStatus,
  tablesOf,
  unmarkFilling,
} from "@berth/store";
import { type DatabasePlace, shownDatabase, type Texts } from "../settings/index.ts";
import { BackupError, MAIN_DATABASE, MAIN_DUMP, type Manifest } from "./manifest.ts";
import { ServerPrograms } from "./server-programs.ts";
import type { Staging } from "./staging.ts";

/** Berth's own database, as a backup holds it and a restore brings it back. */
export interface MainDatabase {
  /** What it is called, for people. */
  readonly name: string;
  /** Where it lies in a backup. */
  readonly path: string;
  /** @throws BackupError there is none to back up, or nothing to do it with */
  requireThere(): Promise<void>;
  /** Copies it as it is at one moment. @throws BackupError */
  copy(staging: Staging): Promise<DatabaseFacts>;
  /** @throws BackupError something is where it is to be restored */
  refuseUsed(): Promise<void>;
  /** Brings it out of a backup that was unpacked, so that no Berth starts with it yet. @returns its address */
  bring(draft: string, manifest: Manifest): Promise<string>;
  /** Puts it in its place: from now on a Berth may start. */
  finish(draft: string): Promise<void>;
  /** After a failure behind `bring`. */
  undo(): Promise<void>;
}

/** @param environment of this process: programs are started with it */
export const mainDatabase = (place: DatabasePlace, environment: Texts): MainDatabase =>
  place.databaseFile === null ? new OnServer(place, environment) : new InFile(place.databaseFile);

class InFile implements MainDatabase {
  readonly path = MAIN_DATABASE;

  constructor(readonly name: string) {}

  async requireThere(): Promise<void> {
    if (!existsSync(this.name))
      throw new BackupError(`there is no database at ${this.name}: name its folder with --data`);
    // Its backup would take the place of older ones, which have the content.
    const emptied = await emptiedFault(this.name);
    if (emptied !== undefined) throw new BackupError(emptied);
  }

  copy(staging: Staging): Promise<DatabaseFacts> {
    staging.database(this.name, this.path);
    return databaseFacts(`sqlite:${join(staging.folder, this.path)}`);
  }

  async refuseUsed(): Promise<void> {
    if (existsSync(this.name))
      throw new BackupError(
        `${this.name} is there: stop Berth, move its data away, and restore into an empty folder`,
      );
  }

  async bring(draft: string): Promise<string> {
    const url = `sqlite:${join(draft, this.path)}`;
    await refuseNewer(url);
    return url;
  }

  async finish(draft: string): Promise<void> {
    makePrivateFolder(dirname(this.name));
    moveFile(join(draft, this.path), this.name);
    // Whatever mode it had where it comes from.
    claimDatabaseFile(this.name);
  }

  async undo(): Promise<void> {}
}

class OnServer implements MainDatabase {
  readonly path = MAIN_DUMP;
  readonly name: string;
  readonly #url: string;
  readonly #programs: ServerPrograms;
  #isMarked = false;

  constructor(place: DatabasePlace, environment: Texts) {
    this.#programs = new ServerPrograms(place.databaseUrl, environment);
    this.#url = place.databaseUrl;
    this.name = shownDatabase(place);
  }

  requireThere(): Promise<void> {
    return this.#programs.require();
  }

  async copy(staging: Staging): Promise<DatabaseFacts> {
    const facts = await atOneMoment(this.#url, async (moment) => {
      await staging.made(this.path, moment.rows, (to) => this.#programs.dump(moment, to));
      return moment.facts;
    });
    const own = facts.deployments.map(({ id }) => deploymentDatabaseName(id));
    staging.leftOut = await databasesThere(this.#url, own);
    return facts;
  }

  async refuseUsed(): Promise<void> {
    await this.#programs.require();
    const [first] = await tablesOf(this.#url);
    if (first !== undefined)
      throw new BackupError(`${this.name} is not empty (${first}): restore into a new, empty database`);
  }

  async bring(draft: string, { files }: Manifest): Promise<string> {
    const file = join(draft, this.path);
    await this.#programs.read(file);
    await markFilling(this.#url);
    this.#isMarked = true;
    await this.#programs.restore(file);
    await refuseNewer(this.#url);
    const found = await rowsOf(this.#url);
    const told = files.find(({ path }) => path === this.path)?.rows ?? {};
    const wrong = Object.keys(told).find((table) => told[table] !== found[table]);
    if (wrong !== undefined)
      throw new BackupError(`${this.name} has ${found[wrong]} rows in ${wrong}, not ${told[wrong]}`);
    await forgetHolders(this.#url);
    return this.#url;
  }

  async finish(): Promise<void> {
    await unmarkFilling(this.#url);
    this.#isMarked = false;
  }

  async undo(): Promise<void> {
    // It was empty before.
    if (this.#isMarked) await dropTables(this.#url);
  }
}

/** @throws BackupError */
async function refuseNewer(url: string): Promise<void> {
  const { unknown } = await schemaStatus(url);
  if (unknown.length > 0)
    throw new BackupError(`a newer Berth made this backup (${unknown.join(", ")}): restore it with that one`);
}

/** The database may have its place on another disk. */
function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    const draft = `${to}.${process.pid}`;
    copyFileSync(from, draft);
    const { mode, uid, gid } = statSync(from);
    chmodSync(draft, mode & 0o7777);
    if (process.getuid?.() === 0) lchownSync(draft, uid, gid);
    renameSync(draft, to);
  }
}
