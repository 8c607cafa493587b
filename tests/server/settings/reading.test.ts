import { expect, test } from "bun:test";
import { everySetting, findSettings } from "../../../server/settings/config.ts";
import { sourcesOf } from "../../../server/settings/setting.ts";

const found = (environment: Record<string, string>) =>
  findSettings(sourcesOf({}, environment, "/nowhere"), { isTerminal: false });
const told = (environment: Record<string, string>) => () => found(environment);

test("of several wrong settings Berth names the first as the page of settings has them", () => {
  expect(told({ HANG_SECONDS: "x", S3_ENDPOINT: "x", PORT: "x" })).toThrow(/^PORT /);
});

test("every setting is declared once, and tells where it was found", () => {
  const names = everySetting().flatMap((setting) => setting.names);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const all = found({ N_JOBS_PER_WORKER: "3" }).found;
  expect(all.map((setting) => setting.names[0]).sort()).toEqual(
    everySetting()
      .map((setting) => setting.names[0])
      .sort(),
  );
  expect(all.filter((setting) => setting.found !== null)).toMatchObject([
    { names: ["RUN_CONCURRENCY", "N_JOBS_PER_WORKER"], found: { name: "N_JOBS_PER_WORKER", given: "3" } },
  ]);
});

test("the format of the official server counts where Berth's own is not set, and is not looked at otherwise", () => {
  expect(found({ LOG_JSON: "false" }).settings.logFormat).toBe("pretty");
  const both = found({ LOG_FORMAT: "json", LOG_JSON: "no format" });
  expect(both.settings.logFormat).toBe("json");
  expect(both.found.map((setting) => setting.names[0])).not.toContain("LOG_JSON");
});

test("the password of a Postgres server may be apart from its address", () => {
  const url = (environment: Record<string, string>) => found(environment).settings.databaseUrl;
  const DATABASE_URL = "postgres://berth@db.example:5432/berth";
  for (const password of ["plain", "p@ss:w/o rd?#%40\"'", "ü%"]) {
    const made = url({ DATABASE_URL, DATABASE_PASSWORD: password });
    expect(decodeURIComponent(new URL(made).password)).toBe(password);
    expect(made).toStartWith("postgres://berth:");
  }
  const own = "postgres://berth:own@db.example:5432/berth";
  expect(url({ DATABASE_URL: own, DATABASE_PASSWORD: "other" })).toBe(own);
  expect(url({ DATABASE_PASSWORD: "other" })).toStartWith("sqlite:");
});
