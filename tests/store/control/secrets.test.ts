import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Database,
  DEFAULT_WORKSPACE,
  Deployments,
  Instances,
  Integrations,
  openDatabase,
  openSecretBox,
  Revisions,
  SecretBox,
  systemClock,
  WrongSecretsKey,
} from "@berth/store";
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
    const instances = new Instances(db, systemClock, box);
    const started = { deployment_id: deployment.id, revision_id: revision.id, driver: "process" } as const;
    const instance = await instances.create(started);
    expect(await new Revisions(db, systemClock, box).secretsOf(revision.id)).toEqual(secrets);
    expect(await integrations.tokenOf(DEFAULT_WORKSPACE.id, id)).toBe(token);
    expect((await instances.get(instance.id))?.token).toBe(instance.token);
    return [secrets[0]?.value ?? "", token, instance.token, await deployments.pushSecret(deployment.id)];
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
      /^SECRETS_KEY is not the key .* start Berth with the one that was$/,
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
});
