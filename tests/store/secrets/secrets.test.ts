import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ControlLease,
  type Database,
  DEFAULT_WORKSPACE,
  Deployments,
  forgetSecrets,
  Instances,
  Integrations,
  Listeners,
  LostSecret,
  Outbox,
  openDatabase,
  openSecretBox,
  Revisions,
  rotateSecretsKey,
  SECRET_MASK,
  SecretBox,
  Subscriptions,
  systemClock,
  WrongSecretsKey,
} from "@berth/store";
import { SEALED_COLUMNS } from "../../../store/secrets/rotation.ts";
import { temporaryFolder } from "../every-store.ts";

describe("a secret box", () => {
  const box = new SecretBox("one");

  test("opens what it sealed, for the same owner, and never seals the same way twice", () => {
    for (const text of ["", "hunter2", "ü ☂ \n\0", "x".repeat(70_000)]) {
      const sealed = box.seal(text, "ada");
      expect(box.open(sealed, "ada")).toBe(text);
      expect(box.seal(text, "ada")).not.toBe(sealed);
    }
  });

  test("opens nothing else", () => {
    const sealed = box.seal("hunter2", "ada");
    expect(() => box.open(sealed, "bob")).toThrow(WrongSecretsKey);
    expect(() => new SecretBox("two").open(sealed, "ada")).toThrow(WrongSecretsKey);
    const bytes = Buffer.from(sealed.slice(3), "base64");
    for (const at of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(`v1:${changed.toString("base64")}`, "ada")).toThrow(WrongSecretsKey);
    }
    for (const text of ["", "v1:", "v2:AAAA", "hunter2"])
      expect(() => box.open(text, "ada")).toThrow(WrongSecretsKey);
  });
});

describe("secrets at rest", () => {
  let dataDir: string;
  let db: Database;

  beforeEach(async () => {
    dataDir = temporaryFolder();
    db = await openDatabase(`sqlite:${join(dataDir, "berth.db")}`);
  });

  afterEach(async () => {
    await db.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const keyFile = () => join(dataDir, "secrets.key");
  const open = (secretsKey: string | null = null) => openSecretBox(db, { dataDir, secretsKey });

  async function keepSecrets(box: SecretBox) {
    const deployments = new Deployments(db, systemClock, box);
    const secrets = [{ name: "KEY", value: "hunter2-of-the-deployment" }];
    const { deployment, revision } = await deployments.create(DEFAULT_WORKSPACE.id, {
      name: "agent",
      source: "internal_template",
      source_config: { template: "chat" },
      config: {},
      secrets,
    });
    const token = "hunter2-of-the-integration";
    const integrations = new Integrations(db, systemClock, box);
    const { id } = await integrations.create(DEFAULT_WORKSPACE.id, { name: "mine", token });
    const kubeconfig = "hunter2-of-the-cluster";
    const listeners = new Listeners(db, systemClock, box);
    const cluster = await listeners.create(DEFAULT_WORKSPACE.id, {
      ...{ compute_type: "k8s", compute_id: "here", compute_config: { k8s_namespaces: null } },
      credentials: { kubeconfig },
    });
    expect((await listeners.open(cluster.id))?.credentials).toEqual({ kubeconfig });
    const instances = new Instances(db, systemClock, box);
    const started = { deployment_id: deployment.id, revision_id: revision.id, driver: "process" } as const;
    const instance = await instances.create(started);
    expect(await new Revisions(db, systemClock, box).secretsOf(revision.id)).toEqual(secrets);
    expect(await integrations.tokenOf(DEFAULT_WORKSPACE.id, id)).toBe(token);
    expect((await instances.get(instance.id))?.token).toBe(instance.token);
    return [
      secrets[0]?.value ?? "",
      token,
      kubeconfig,
      instance.token,
      await deployments.pushSecret(deployment.id),
    ];
  }

  test("are nowhere in the database as they are", async () => {
    const texts = await keepSecrets(await open());
    const files = readdirSync(dataDir).filter((name) => name.startsWith("berth.db"));
    expect(files).toContain("berth.db-wal");
    const written = files.map((name) => readFileSync(join(dataDir, name)).toString("latin1")).join();
    // The name is no secret: it shows that the search finds what is there.
    expect(written).toContain("KEY");
    for (const text of texts) {
      expect(text.length).toBeGreaterThan(20);
      expect(written).not.toContain(text);
    }
  });

  test("are sealed with a key in a file of the owner's, made once", async () => {
    const [box, other] = await Promise.all([open(), open()]);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir).filter((name) => name.startsWith("secrets.key"))).toEqual(["secrets.key"]);
    const key = readFileSync(keyFile(), "utf8").trim();
    expect(Buffer.from(key, "base64url")).toHaveLength(32);
    const sealed = box.seal("hunter2", "ada");
    expect(other.open(sealed, "ada")).toBe("hunter2");
    // The text of the file can be moved to the environment.
    expect((await open(key)).open(sealed, "ada")).toBe("hunter2");
  });

  test("are sealed with SECRETS_KEY where there is one, and no file is made", async () => {
    const sealed = (await open("from the environment")).seal("hunter2", "ada");
    expect(existsSync(keyFile())).toBe(false);
    expect(new SecretBox("from the environment").open(sealed, "ada")).toBe("hunter2");
  });

  test("refuse another key at the start, and say what to do", async () => {
    await keepSecrets(await open("right"));
    await expect(open("wrong")).rejects.toThrow(WrongSecretsKey);
    await expect(open("wrong")).rejects.toThrow(
      /^SECRETS_KEY is not the key .* start Berth with that key\. .*berth secrets forget/,
    );
    await expect(open()).rejects.toThrow(`${keyFile()} is missing`);
    expect(existsSync(keyFile())).toBe(false);
    writeFileSync(keyFile(), "x".repeat(43));
    await expect(open()).rejects.toThrow(`${keyFile()} is not the key`);
    await open("right");
  });

  test("take any key as long as there are none", async () => {
    await open("first");
    const box = await open("second");
    await keepSecrets(box);
    await expect(open("first")).rejects.toThrow(WrongSecretsKey);
  });

  test("say so when the file holds no key", async () => {
    writeFileSync(keyFile(), "\n");
    await expect(open()).rejects.toThrow(`${keyFile()} holds no key`);
  });

  const place = (secretsKey: string | null = null) => ({ dataDir, secretsKey });

  /** What is sealed in every column, opened; a column without a row would prove nothing. */
  async function allOpened(box: SecretBox): Promise<string[]> {
    const texts: string[] = [];
    for (const [table, columns] of Object.entries(SEALED_COLUMNS))
      for (const column of columns) {
        const rows = await db.read
          .selectFrom(table as "deployments")
          .select(["id", column as "secrets"])
          .execute();
        expect([table, column, rows.length]).toEqual([table, column, 1]);
        for (const row of rows) texts.push(box.open(row[column as "secrets"], row.id));
      }
    return texts;
  }

  async function keepOneOfEach(box: SecretBox): Promise<void> {
    const [id, name] = ["of-a-deployment", "berth_of_a_deployment"];
    const database = { id, name, secrets: box.seal("its password", id), created_at: 0 };
    await db.write((tx) => tx.insertInto("deployment_databases").values(database).execute());
    await keepSecrets(box);
    const { subscription } = await new Subscriptions(db, systemClock, box).create(DEFAULT_WORKSPACE.id, {
      ...{ session_id: null, url: "https://example.com/", severity_threshold: 3 },
      ...{ event_types: ["issue.created"], headers: { authorization: "hunter2-of-the-hook" } },
    });
    const outbox = new Outbox(db, systemClock, box, { publicUrl: "http://localhost", backoff: () => 0 });
    await db.write((tx) =>
      outbox.enqueue(tx, [
        {
          ...{
            type: "run.completed",
            workspaceId: DEFAULT_WORKSPACE.id,
            url: "https://example.com/",
            body: {},
          },
          ...{ headers: { authorization: "hunter2-of-the-run" } },
        },
      ]),
    );
    expect(subscription.state).toBe("active");
  }

  test("a rotated key takes over at the next start, and opens everything", async () => {
    const before = await open();
    await keepOneOfEach(before);
    const texts = await allOpened(before);
    const old = readFileSync(keyFile(), "utf8").trim();
    expect(await rotateSecretsKey(db, place())).toBeNull();
    const next = readFileSync(keyFile(), "utf8").trim();
    expect(next).not.toBe(old);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    // Whoever runs still has the old one, and goes on with it.
    expect(await allOpened(before)).toEqual(texts);
    const after = await open();
    expect(await allOpened(after)).toEqual(texts);
    expect(() => before.open(after.seal("x", "y"), "y")).toThrow(WrongSecretsKey);
    await expect(open(old)).rejects.toThrow(WrongSecretsKey);
    expect(await allOpened(await open(next))).toEqual(texts);
  });

  test("a key that was set is rotated to one that is to be set", async () => {
    await keepOneOfEach(await open("the first"));
    const second = (await rotateSecretsKey(db, place("the first"))) ?? "";
    // Once more before the restart, by whoever has either.
    const third = (await rotateSecretsKey(db, place(second))) ?? "";
    expect([existsSync(keyFile()), second === third, third.length]).toEqual([false, false, 43]);
    // It takes over with the start, and not before: until then the first is in force.
    await open("the first");
    await expect(open(second)).rejects.toThrow(WrongSecretsKey);
    await allOpened(await open(third));
    await expect(open("the first")).rejects.toThrow(WrongSecretsKey);
    await expect(rotateSecretsKey(db, place("the first"))).rejects.toThrow("you need that key to rotate");
  });

  test("a new key does not take over from a Berth that is at work", async () => {
    const before = await open("the first");
    await keepOneOfEach(before);
    const next = await rotateSecretsKey(db, place("the first"));
    const lease = new ControlLease(db, systemClock, () => true);
    const holder = { id: "another", host: "another-machine", pid: 1 };
    expect(await lease.take(holder)).toBe(true);
    const second = await open(next);
    await allOpened(before);
    await allOpened(second);
    await expect(forgetSecrets(db, place("lost"))).rejects.toThrow(
      "a Berth with the key runs on this database",
    );
    await lease.release(holder);
    const after = await open(next);
    await allOpened(after);
    await expect(allOpened(before)).rejects.toThrow(WrongSecretsKey);
  });

  test("a lost key is given up: what it sealed says so, and takes new secrets", async () => {
    const box = await open("lost");
    await keepOneOfEach(box);
    const bare = await new Deployments(db, systemClock, box).create(DEFAULT_WORKSPACE.id, {
      ...{ name: "bare", source: "internal_template", source_config: { template: "chat" } },
      ...{ config: {}, secrets: [] },
    });
    await expect(open()).rejects.toThrow("berth secrets forget");
    await expect(forgetSecrets(db, place("lost"))).rejects.toThrow("the key opens the secrets");
    const loss = await forgetSecrets(db, place());
    expect(loss).toMatchObject({ deployments: ["agent"], integrations: ["mine"], listeners: ["here"] });
    expect(loss.subscriptions).toHaveLength(1);
    const now = await open();
    const deployments = new Deployments(db, systemClock, now);
    const revisions = new Revisions(db, systemClock, now);
    const [agent, other] = await Promise.all(
      ["agent", "bare"].map(
        async (name) => (await deployments.list(DEFAULT_WORKSPACE.id, { name }, PAGE))[0],
      ),
    );
    expect([agent?.secrets_lost, other?.secrets_lost]).toEqual([true, false]);
    expect(await revisions.secretsOf(bare.revision.id)).toEqual([]);
    await expect(revisions.secretsOf(agent?.latest_revision_id ?? "")).rejects.toThrow(LostSecret);
    // What still runs cannot be talked to: it is started anew.
    expect(await new Instances(db, systemClock, now).live()).toEqual([]);
    const patch = (change: object) => deployments.patch(DEFAULT_WORKSPACE.id, agent?.id ?? "", change);
    await expect(patch({ always: true })).rejects.toThrow("send KEY again");
    await expect(patch({ secrets: [{ name: "KEY", value: SECRET_MASK }] })).rejects.toThrow("has no value");
    const { revision } = await patch({ secrets: [{ name: "KEY", value: "new" }] });
    expect(await revisions.secretsOf(revision?.id ?? "")).toEqual([{ name: "KEY", value: "new" }]);
    const [integration] = await new Integrations(db, systemClock, now).list(DEFAULT_WORKSPACE.id);
    await expect(
      new Integrations(db, systemClock, now).tokenOf(DEFAULT_WORKSPACE.id, integration?.id ?? ""),
    ).rejects.toThrow("add the integration again");
    await takesNewSecrets(now, loss.subscriptions[0] ?? "");
  });

  async function takesNewSecrets(box: SecretBox, id: string): Promise<void> {
    const subscriptions = new Subscriptions(db, systemClock, box);
    const enable = () => subscriptions.enable(DEFAULT_WORKSPACE.id, id);
    await expect(enable()).rejects.toThrow("because their key is lost");
    await subscriptions.roll(DEFAULT_WORKSPACE.id, id);
    await expect(enable()).rejects.toThrow("because their key is lost");
    const headers = { authorization: "another" };
    await subscriptions.patch(DEFAULT_WORKSPACE.id, id, { headers });
    expect((await enable()).state).toBe("active");
  }
});

const PAGE = { limit: 10, offset: 0 };
