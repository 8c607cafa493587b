import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everySetting, readSettings, type Texts } from "../../../server/settings/config.ts";
import { isReservedName } from "../../../server/settings/reserved-names.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-secret-files-"));
const file = join(folder, "key");
writeFileSync(file, "the-text-of-the-file\n");
writeFileSync(join(folder, "empty"), "\n");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (environment: Texts, flags: Texts = {}) =>
  readSettings(flags, environment, folder, { isTerminal: false });

test("every secret setting can be the text of a file", () => {
  const secrets = everySetting().filter(({ isSecret }) => isSecret);
  expect(secrets.map(({ names }) => names[0]).sort()).toEqual([
    ...["CHAT_TOKEN", "DATABASE_PASSWORD", "DATABASE_URL", "GATEWAY_TOKEN"],
    ...["OTEL_EXPORTER_OTLP_TRACES_HEADERS"],
    ...["PROXY_SECRET", "S3_KEY_ID", "S3_SECRET", "SECRETS_KEY", "SERVICE_API_KEY"],
  ]);
  const settings = read({
    ...{
      CHAT_TOKEN_FILE: file,
      GATEWAY_TOKEN_FILE: file,
      SECRETS_KEY_FILE: file,
      SERVICE_API_KEY_FILE: file,
    },
  });
  const text = "the-text-of-the-file";
  expect(settings).toMatchObject({
    chatToken: text,
    gatewayToken: text,
    secretsKey: text,
    serviceApiKey: text,
  });
});

test("a setting of a stronger source beats the file of a weaker one", () => {
  writeFileSync(join(folder, ".env"), `SERVICE_API_KEY_FILE=${file}\n`);
  expect(read({}).serviceApiKey).toBe("the-text-of-the-file");
  expect(read({ SERVICE_API_KEY: "of-the-environment" }).serviceApiKey).toBe("of-the-environment");
  rmSync(join(folder, ".env"));
});

test("a file that cannot be used is named, and both at once are refused", () => {
  const missing = join(folder, "missing");
  expect(() => read({ SECRETS_KEY_FILE: missing })).toThrow(
    `SECRETS_KEY_FILE must name a file that can be read, not "${missing}"`,
  );
  expect(() => read({ SECRETS_KEY_FILE: join(folder, "empty") })).toThrow("is not empty");
  expect(() => read({ SECRETS_KEY_FILE: file, SECRETS_KEY: "x" })).toThrow("do not go together");
  // Of no other setting is the text in a file.
  expect(read({ PORT_FILE: file }).port).toBe(8123);
});

test("no deployment can name a file for Berth's own secrets", () => {
  expect(
    ["BERTH_SECRETS_KEY_FILE", "SERVICE_API_KEY_FILE", "OPENAI_API_KEY"].map((name) => isReservedName(name)),
  ).toEqual([...[true, true, false]]);
});
