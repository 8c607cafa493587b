import { expect, test } from "bun:test";
import { parseEnvironmentFile } from "../../../server/cli/environment-file.ts";
import { everySetting } from "../../../server/settings/config.ts";
import { ownName } from "../../../server/settings/setting.ts";
import { unknownSettings } from "../../../server/settings/unknown-settings.ts";

const meantBy = (name: string, value = "1") => unknownSettings({ [name]: value })[0]?.meant;

test.each([
  ["ENGINE_INTERVALL", "ENGINE_INTERVAL"],
  ["SERVICE_APIKEY", "SERVICE_API_KEY"],
  ["service_api_key", "SERVICE_API_KEY"],
  ["RATE_LIMIT_PER_MINTUE", "RATE_LIMIT_PER_MINUTE"],
  ["WEBHOOK_BACKOFF_SECONDS", "WEBHOOK_BACKOFF"],
  ["BERTH_PROT", "PORT"],
  ["LOG_LVL", "LOG_LEVEL"],
  ["PROT", "PORT"],
  ["CONTAINER_ENGIN", "CONTAINER_ENGINE"],
  ["AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID"],
])("%s is taken for a slip of %s", (name, meant) => expect(meantBy(name)).toBe(meant));

test.each(["ENGINE_COLOUR", "CHAT_MODEL", "BERTH_FOO"])("%s begins as settings do, and is none", (name) =>
  expect(meantBy(name)).toBeNull(),
);

test.each([
  "PATH",
  "HOME",
  "HOSTNAME",
  "OPENAI_API_KEY",
  "MODEL",
  "NODE_ENV",
  "http_proxy",
  "LANGGRAPH_HOST_URL",
  "BERTH_SERVICE_HOST",
  "BERTH_PORT_8123_TCP_ADDR",
  "AWS_CA_BUNDLE",
  "AWS_PROFILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "CONTAINER_NAME",
  "CONTAINER_HOST",
])("%s is nobody's mistake", (name) => expect(unknownSettings({ [name]: "x" })).toEqual([]));

test("no setting, no alias, nothing that is empty and no address that Kubernetes gives is unknown", () => {
  const names = everySetting().flatMap((setting) => setting.names);
  expect(unknownSettings(Object.fromEntries(names.map((name) => [name, "1"])))).toEqual([]);
  expect(unknownSettings({ ENGINE_INTERVALL: "" })).toEqual([]);
  expect(unknownSettings(Object.fromEntries(names.map((name) => [ownName(name), "1"])))).toEqual([]);
  expect(unknownSettings({ BERTH_PORT: "tcp://10.0.0.1:8123" })).toEqual([]);
});

test("an environment file is read as systemd reads it", () => {
  const text = [
    "# a comment",
    "; another",
    "PLAIN=a#b c  ",
    'DOUBLE="two words \\"and\\" a $x"',
    "SINGLE='as it is \\n'",
    "LONG=one\\",
    "two",
    'LINES="first',
    'second"',
    "no assignment",
    "EMPTY=",
    "  SPACED = x",
    "LAST=1",
  ].join("\n");
  expect(parseEnvironmentFile(text)).toEqual({
    PLAIN: "a#b c",
    DOUBLE: 'two words "and" a $x',
    SINGLE: "as it is \\n",
    LONG: "onetwo",
    LINES: "first\nsecond",
    EMPTY: "",
    SPACED: "x",
    LAST: "1",
  });
});
