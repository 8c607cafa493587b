import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, DeploymentDatabases, LacksRights, openDatabase, SecretBox } from "@berth/store";
import { SQL } from "bun";
import { until } from "../../e2e/condition.ts";
import { databaseOn, dropDatabase, execute, serverUrl, withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";

const box = new SecretBox("a key of these tests only");
const unique = () => crypto.randomUUID().replaceAll("-", "").slice(0, 12);

describeUnless(withoutPostgres())("databases of deployments", () => {
  const role = `berth_owner_${unique()}`;
  let server: string;
  let url: string;
  let db: Database;
  const ids: string[] = [];

  /** A database of a role that is no superuser, with these rights. */
  async function databaseOf(name: string, rights: string): Promise<string> {
    await execute(server, `create role ${name} login ${rights}`);
    await execute(server, `create database ${name} owner ${name}`);
    const own = new URL(databaseOn(server, name));
    own.username = name;
    return own.href;
  }

  beforeAll(async () => {
    server = await serverUrl();
    url = await databaseOf(role, "createdb createrole");
    db = await openDatabase(url);
  });
  afterAll(async () => {
    for (const id of ids) await databases().remove(id);
    await db.close();
    await dropDatabase(url);
    await execute(server, `drop role ${role}`);
  });

  const databases = () => new DeploymentDatabases(db, db.clock, box, url);
  const newId = () => {
    const id = crypto.randomUUID();
    ids.push(id);
    return id;
  };
  const nameOf = (id: string) => `berth_${id.replaceAll("-", "")}`;

  test("are made once, by a role that is no superuser, and are the deployment's own", async () => {
    const id = newId();
    const made = await databases().of(id);
    expect(await databases().of(id)).toEqual(made);
    const { username, pathname, password } = new URL(made.url);
    expect([username, pathname]).toEqual([nameOf(id), `/${nameOf(id)}`]);
    expect(password.length).toBeGreaterThan(40);
    expect(made.secretsKey).not.toBe(password);
    await execute(made.url, "create table anything (id int)");
    const [row] = await execute(url, "select secrets from deployment_databases");
    expect(JSON.stringify(row)).not.toContain(password);
  });

  test("are closed to each other, and Berth's own to all of them", async () => {
    const [one, other] = [newId(), newId()];
    const { url: theirs } = await databases().of(one);
    await databases().of(other);
    for (const name of [nameOf(other), role]) {
      const elsewhere = new URL(theirs);
      elsewhere.pathname = `/${name}`;
      await expect(execute(elsewhere.href, "select 1")).rejects.toThrow(/permission denied for database/);
    }
    expect(await execute(url, "select count(*)::int as deployments from deployments")).toEqual([
      { deployments: 0 },
    ]);
  });

  test("that a crash left half-made are completed", async () => {
    const id = newId();
    await databases().of(id);
    await execute(url, `drop database ${nameOf(id)}`);
    await execute(url, `drop role ${nameOf(id)}`);
    const { url: again } = await databases().of(id);
    expect(await execute(again, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("let nobody in who knew the password before they were fenced", async () => {
    const id = newId();
    const before = await databases().of(id);
    const old = new SQL(before.url, { max: 1 });
    await old.unsafe("select 1");
    const verifier = async () =>
      (await execute(server, `select rolpassword from pg_authid where rolname = '${nameOf(id)}'`))[0]
        ?.rolpassword;
    const checkedBy = await verifier();
    expect(checkedBy).toStartWith("SCRAM-SHA-256$4096:");
    await databases().fence(id);
    await until(
      "their connections to be cut",
      () => execute(server, `select pid from pg_stat_activity where usename = '${nameOf(id)}'`),
      (rows) => rows.length === 0,
    );
    expect(await verifier()).not.toBe(checkedBy);
    const after = await databases().of(id);
    expect(after.secretsKey).toBe(before.secretsKey);
    expect(after.url).not.toBe(before.url);
    await old.close();
  });

  test("go with their deployment, whoever is still connected", async () => {
    const id = newId();
    const { url: theirs } = await databases().of(id);
    const connected = new SQL(theirs, { max: 1 });
    await connected.unsafe("select 1");
    await databases().remove(id);
    await connected.close().catch(() => undefined);
    const left = `select datname from pg_database where datname = '${nameOf(id)}'
      union all select rolname from pg_roles where rolname = '${nameOf(id)}'`;
    expect(await execute(url, left)).toEqual([]);
    await databases().remove(id);
  });

  test("whose key was lost get another one", async () => {
    const id = newId();
    const before = await databases().of(id);
    await execute(url, `update deployment_databases set secrets = 'lost' where id = '${id}'`);
    const after = await databases().of(id);
    expect(after.secretsKey).not.toBe(before.secretsKey);
    expect(await execute(after.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("are refused in a line where the role may not make them", async () => {
    const weak = `berth_weak_${unique()}`;
    const own = await databaseOf(weak, "nocreatedb nocreaterole");
    const small = await openDatabase(own);
    try {
      const given = new DeploymentDatabases(small, small.clock, box, own).of(crypto.randomUUID());
      await expect(given).rejects.toThrow(LacksRights);
      await expect(given).rejects.toThrow(/CREATEDB and CREATEROLE.*DEPLOYMENT_DATABASES=file/);
    } finally {
      await small.close();
      await dropDatabase(databaseOn(server, weak));
      await execute(server, `drop role ${weak}`);
    }
  });
});
