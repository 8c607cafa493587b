import { describe, expect, test } from "bun:test";
import { networkSettings } from "../../../server/machine/surroundings.ts";
import {
  commandFault,
  configPathFault,
  repoRefFault,
  repoUrlFault,
} from "../../../server/sources/source-rules.ts";

describe("the address of a repository", () => {
  test.each([
    "https://github.com/me/agent",
    "https://github.com/me/agent.git",
    "http://127.0.0.1:3000/me/agent",
    "https://[2001:db8::1]/x",
    "ssh://git@git.example.com:2222/me/agent.git",
    "git@github.com:me/agent.git",
    "git@git.example.com:~me/agent",
  ])("may be %s", (url) => expect(repoUrlFault(url)).toBeUndefined());

  test.each([
    ...["", "agent", "/srv/agent", "./agent", "file:///srv", "ext::sh -c id", "git://x/y", "ftp://x/y"],
    ...[
      "--upload-pack=x",
      "-x@host:path",
      "ssh://-oProxyCommand=x/y",
      "user@-host:path",
      "user@host:/../x\n",
    ],
    ...[
      "https://me:secret@host/x",
      "https://me@host/x",
      "ssh://me:secret@host/x",
      "https://ho st/x",
      "https://",
    ],
    ...[
      "host:path",
      "user@host:a:b",
      "https://host/`id`",
      "https://host/'x",
      `https://host/${"x".repeat(2_048)}`,
    ],
  ])("is not %p", (url) => expect(repoUrlFault(url)).toBeString());
});

test.each(["main", "feature/x", "refs/tags/v1.0", "heads/main", "release-1.2", "ünï"])(
  "a ref may be %s",
  (ref) => expect(repoRefFault(ref)).toBeUndefined(),
);

test.each([
  ...[
    "",
    "-x",
    "--all",
    "a b",
    "a..b",
    "a~1",
    "a^{}",
    "a:b",
    "a?",
    "a*",
    "a[",
    "a\\b",
    "/a",
    "a/",
    "a.",
    "@",
    "a@{1}",
    "HEAD",
    "refs/heads/main",
    "refs/pull/1/head",
    "refs/tags/",
  ],
  ...["a//b", ".a", "a/.b", "x.lock", "a\nb", "x".repeat(256)],
])("a ref is not %p", (ref) => expect(repoRefFault(ref)).toBeString());

test.each(["graph.json", "./graph.json", "apps/agent/langgraph.json"])(
  "a configuration file may be %s",
  (path) => expect(configPathFault(path)).toBeUndefined(),
);

test.each([
  "",
  ".",
  "..",
  "/graph.json",
  "../graph.json",
  "a/../graph.json",
  "a//b.json",
  "a\\b.json",
  "graph.ts",
  "a\0.json",
])("a configuration file is not %p", (path) => expect(configPathFault(path)).toBeString());

test.each(["bun install", "npm ci --no-audit && bun run build", "sh scripts/make.sh 'a b'", "a && b"])(
  "a command may be %s",
  (command) => expect(commandFault(command)).toBeUndefined(),
);

test.each([...'"`\\\n\r\0\t|;$><'].map((character) => `a ${character} b`).concat("a & b", "a &", "a &&& b"))(
  "a command is not %p",
  (command) => expect(commandFault(command)).toMatch(/^a command must not hold/),
);

test("a build inherits how the outside is reached, and nothing else", () =>
  expect(
    networkSettings({
      ...{ HTTP_PROXY: "1", https_proxy: "2", no_proxy: "3", NODE_EXTRA_CA_CERTS: "4", SSL_CERT_DIR: "5" },
      ...{ npm_config_registry: "6", NPM_CONFIG_REGISTRY: "7", BUN_CONFIG_REGISTRY: "8" },
      ...{
        SERVICE_API_KEY: "x",
        SECRETS_KEY: "x",
        DATABASE_URL: "x",
        OPENAI_API_KEY: "x",
        HOME: "x",
        PATH: "x",
      },
      ...{ npm_config_userconfig: "x", npm_config_cache: "x", npm_config_prefix: "x", npm_package_name: "x" },
    }),
  ).toEqual({
    ...{ HTTP_PROXY: "1", https_proxy: "2", no_proxy: "3", NODE_EXTRA_CA_CERTS: "4", SSL_CERT_DIR: "5" },
    ...{ npm_config_registry: "6", NPM_CONFIG_REGISTRY: "7", BUN_CONFIG_REGISTRY: "8" },
  }));
