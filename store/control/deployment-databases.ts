import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/index.ts";
import { LostSecret, newToken, type SecretBox } from "../secrets/index.ts";

/** How a deployed process reaches the database that is its own, and what it seals its secrets with. */
export type DeploymentDatabase = { url: string; secretsKey: string };

/** The role of Berth's own may not do what it has to; the message says what it needs. */
export class LacksRights extends Error {
  override name = "LacksRights";
}

type Secrets = { password: string; secretsKey: string };

/** SQLSTATE: there is one of that name. */
const THERE = new Set(["42P04", "42710"]);
const NO_RIGHT = "42501";

/**
 * The databases of deployments, on the server of Berth's own: one each, with a role of the same name that may connect
 * to it and to nothing else of Berth's. So no deployment reads another one, nor Berth's own tables.
 */
export class DeploymentDatabases {
  #isClosed: Promise<void> | undefined;

  /** @param url of Berth's own database, with a role that may create databases and roles */
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
    private readonly url: string,
  ) {}

  /**
   * The database of a deployment; it is made with the first call. What a crash left half-made is completed.
   * @throws LacksRights
   */
  async of(deploymentId: string): Promise<DeploymentDatabase> {
    const name = deploymentDatabaseName(deploymentId);
    const { secrets, isNew } = await this.#secretsOf(deploymentId);
    await told(async () => {
      this.#isClosed ??= this.#closeToOthers();
      await this.#isClosed.catch((error) => {
        this.#isClosed = undefined;
        throw error;
      });
      await this.#haveRole(name, secrets.password, isNew);
      await this.#haveDatabase(name);
    });
    return { url: addressOf(this.url, name, secrets.password), secretsKey: secrets.secretsKey };
  }

  /**
   * Has nobody who was told the password before get in any more: what still runs of the deployment on a machine that
   * nobody reaches writes nothing from here on.
   */
  async fence(deploymentId: string): Promise<void> {
    if (!(await this.#row(deploymentId))) return;
    const name = deploymentDatabaseName(deploymentId);
    const { secretsKey } = (await this.#secretsOf(deploymentId)).secrets;
    const password = newToken();
    await this.#keep(deploymentId, { password, secretsKey });
    await told(async () => {
      if (await this.#hasRole(name)) await this.#setPassword(name, password);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${name}`.execute(
        this.db.read,
      );
    });
  }

  /** Removes the database of a deployment, its role, and what is known of them; fine where there is none. */
  async remove(deploymentId: string): Promise<void> {
    if (!(await this.#row(deploymentId))) return;
    const name = deploymentDatabaseName(deploymentId);
    await told(async () => {
      await this.#do(`drop database if exists ${name} with (force)`);
      await this.#do(`drop role if exists ${name}`);
    });
    await this.db.write((tx) =>
      tx.deleteFrom("deployment_databases").where("id", "=", deploymentId).execute(),
    );
  }

  async #secretsOf(deploymentId: string): Promise<{ secrets: Secrets; isNew: boolean }> {
    const known = await this.#row(deploymentId);
    try {
      if (known)
        return { secrets: JSON.parse(this.box.open(known.secrets, deploymentId)) as Secrets, isNew: false };
    } catch (error) {
      if (!(error instanceof LostSecret)) throw error;
    }
    const secrets = { password: newToken(), secretsKey: newToken() };
    await this.#keep(deploymentId, secrets);
    return { secrets, isNew: true };
  }

  #row(deploymentId: string) {
    return this.db.read
      .selectFrom("deployment_databases")
      .selectAll()
      .where("id", "=", deploymentId)
      .executeTakeFirst();
  }

  async #keep(deploymentId: string, plain: Secrets): Promise<void> {
    const secrets = this.box.seal(JSON.stringify(plain), deploymentId);
    const row = {
      id: deploymentId,
      name: deploymentDatabaseName(deploymentId),
      secrets,
      created_at: this.clock.now(),
    };
    await this.db.write((tx) =>
      tx
        .insertInto("deployment_databases")
        .values(row)
        .onConflict((there) => there.column("id").doUpdateSet({ secrets }))
        .execute(),
    );
  }

  async #haveRole(name: string, password: string, isNew: boolean): Promise<void> {
    const isThere = await this.#hasRole(name);
    if (!isThere) await this.#unlessThere(`create role ${name} nosuperuser nocreatedb nocreaterole login`);
    // Whose password is not known as ours any more, or was never set before a crash.
    if (!isThere || isNew) await this.#setPassword(name, password);
    const { rows } = await sql<{ has: boolean }>`
      select pg_has_role(current_user, ${name}::name, 'usage') as has`.execute(this.db.read);
    // Who gives a database to a role, or takes it away again, has to be one of it.
    if (!rows[0]?.has) await this.#do(`grant ${name} to current_user`);
  }

  async #hasRole(name: string): Promise<boolean> {
    const { rows } = await sql`select 1 from pg_roles where rolname = ${name}`.execute(this.db.read);
    return rows.length > 0;
  }

  async #haveDatabase(name: string): Promise<void> {
    const { rows } = await sql`select 1 from pg_database where datname = ${name}`.execute(this.db.read);
    // Of template1 nobody may be connected to it meanwhile.
    if (rows.length === 0)
      await this.#unlessThere(`create database ${name} owner ${name} template template0 encoding 'UTF8'`);
    await this.#do(`revoke connect, temporary on database ${name} from public`);
  }

  /** Whoever may connect could hold Berth's locks, also without a right to any table. */
  async #closeToOthers(): Promise<void> {
    const { rows } = await sql<{ own: string; open: boolean }>`
      select quote_ident(current_database()) as own,
        exists (select 1 from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) as given
          where datname = current_database() and given.grantee = 0 and given.privilege_type = 'CONNECT') as open
    `.execute(this.db.read);
    const [database] = rows;
    if (!database?.open) return;
    await this.#do(`grant connect on database ${database.own} to current_user`);
    await this.#do(`revoke connect, temporary on database ${database.own} from public`);
  }

  /** The server is told what it checks a password by, and not the password: statements may be in its log. */
  async #setPassword(name: string, password: string): Promise<void> {
    await this.#do(`alter role ${name} with login password '${verifierOf(password)}'`);
  }

  async #do(statement: string): Promise<void> {
    await sql.raw(statement).execute(this.db.read);
  }

  async #unlessThere(statement: string): Promise<void> {
    try {
      await this.#do(statement);
    } catch (error) {
      if (!THERE.has(stateOf(error))) throw error;
    }
  }
}

/** Of a database and of the role that owns it. A name that needs no quotes: of the letters and digits of the deployment's id. */
export function deploymentDatabaseName(deploymentId: string): string {
  const letters = deploymentId.replaceAll("-", "");
  if (!/^[\da-f]{32}$/.test(letters)) throw new Error(`${deploymentId} is no id of a deployment`);
  return `berth_${letters}`;
}

function addressOf(own: string, name: string, password: string): string {
  const url = new URL(own);
  url.username = name;
  url.password = password;
  url.pathname = `/${name}`;
  return url.href;
}

const ROUNDS = 4_096;

/** RFC 5803: what a server keeps of a password for SCRAM-SHA-256. */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  const server = keyed("Server Key").toString("base64");
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString("base64")}$${stored}:${server}`;
}

const stateOf = (error: unknown): string => {
  const known = error instanceof Error ? [Reflect.get(error, "errno"), Reflect.get(error, "code")] : [];
  return known.find((state) => typeof state === "string" && /^[0-9A-Z]{5}$/.test(state)) ?? "";
};

async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (stateOf(error) !== NO_RIGHT) throw error;
    throw new LacksRights(
      `Berth's role on the database server may not make a database for a deployment (${(error as Error).message}): give it CREATEDB and CREATEROLE and make it the owner of Berth's own database, or set DEPLOYMENT_DATABASES=file`,
      { cause: error },
    );
  }
}
