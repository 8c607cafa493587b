import { describe, expect, test } from "bun:test";
import {
  type GitRemote,
  mayCarryToken,
  openRemote,
  proxyOf,
} from "../../../server/control/build/git-remote.ts";
import { curlPins, sshPin } from "../../../server/control/build/git-user.ts";
import { PrepareFailed } from "../../../server/control/build/order.ts";
import { PRIVATE_TOO, Reach } from "../../../server/reach/reach.ts";

const OWN_PORT = 8123;
const sources = new Reach(PRIVATE_TOO, { ownPorts: () => [OWN_PORT], interfaces: () => ["10.0.0.7"] });
const answering = (...addresses: string[]) => ({ sources, environment: {}, resolve: async () => addresses });
const nobody = async (): Promise<string[]> => {
  throw new Error("ENOTFOUND");
};
const unknown = (environment: Record<string, string> = {}) => ({ sources, environment, resolve: nobody });

async function refusal(opening: Promise<GitRemote>): Promise<string> {
  const error = await opening.then(
    ({ pinned }) => `it would be asked at ${pinned}`,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PrepareFailed);
  return (error as Error).message;
}

/** Addresses that webhooks never go to, as they are and as gateways, tunnels and old forms spell them. */
const NEVER = [
  ...["169.254.169.254", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "fe80::1"],
  ...["fd00:ec2::254", "100.100.100.200", "0.0.0.0", "::", "224.0.0.1", "ff02::1", "168.63.129.16"],
  ...["192.0.0.192", "fd20:ce::254", "2002:a9fe:a9fe::1", "::a9fe:a9fe", "64:ff9b::6464:64c8"],
  "255.255.255.255",
];

describe("a repository is never asked for at", () => {
  test.each(NEVER)("%s, whatever leads there", async (address) => {
    const host = address.includes(":") ? `[${address}]` : address;
    for (const url of [`http://${host}/x`, `https://${host}:8443/x`, `ssh://git@${host}/x`])
      expect(await refusal(openRemote(url, unknown()))).toContain("metadata");
    for (const url of ["https://git.test/x", "ssh://git@git.test/x", "git@git.test:x"]) {
      expect(await refusal(openRemote(url, answering(address)))).toContain("git.test is");
      expect(await refusal(openRemote(url, answering("10.0.0.1", address)))).toContain("git.test is");
    }
  });

  test("this Berth itself, a port of mail or shells, or a name of the inside that is such an address", async () => {
    for (const url of [`http://127.0.0.1:${OWN_PORT}/x`, `http://localhost:${OWN_PORT}/x`])
      expect(await refusal(openRemote(url, unknown()))).toContain("this server itself");
    expect(await refusal(openRemote(`http://git.test:${OWN_PORT}/x`, answering("10.0.0.7")))).toContain(
      "itself",
    );
    expect(await refusal(openRemote("http://git.test:25/x", answering("10.0.0.1")))).toContain("port 25");
    const metadata = "http://metadata.google.internal/x";
    expect(await refusal(openRemote(metadata, answering("169.254.169.254")))).toContain("metadata");
  });
});

test("private addresses may be asked: many a git server has no other", async () => {
  const addresses = [
    "127.0.0.1",
    "::1",
    "10.1.2.3",
    "192.168.1.1",
    "fd00::1",
    "140.82.121.4",
    "2606:50c0::1",
  ];
  for (const address of addresses)
    expect((await openRemote("https://git.test/x", answering(address))).pinned).toEqual([address]);
});

describe("a remote", () => {
  const both = answering("10.0.0.1", "2001:db8::1");

  test("is pinned to the addresses that were looked at, for curl", async () => {
    const pins = async (url: string) => curlPins(await openRemote(url, both));
    expect(await pins("https://git.test/x")).toContain("git.test:443:10.0.0.1,[2001:db8::1]");
    expect(await pins("http://Git.test.:81/x")).toEqual([
      "git.test:81:10.0.0.1,[2001:db8::1]",
      "git.test.:81:10.0.0.1,[2001:db8::1]",
    ]);
    expect(await pins("http://127.0.0.1:81/x")).toEqual([]);
    expect(await pins("git@git.test:x")).toEqual([]);
  });

  test("is pinned to one of them for ssh, with the key of its name", async () => {
    const pin = async (url: string) => sshPin(await openRemote(url, both)).join(" ");
    expect(await pin("git@git.test:me/x")).toContain("-o HostName=10.0.0.1 -o HostKeyAlias='git.test'");
    expect(await pin("ssh://git@git.test:2222/x")).toContain("-o HostKeyAlias='[git.test]:2222'");
    expect(await pin("ssh://git@10.0.0.1/x")).toBe("");
    expect(await pin("https://git.test/x")).toBe("");
  });

  test("gets a token over https, or on this machine", async () => {
    const urls = ["https://git.test/x", "http://git.test/x", "http://[::1]/x", "http://localhost/x"];
    const remotes = await Promise.all(urls.map((url) => openRemote(url, both)));
    expect(remotes.map(mayCarryToken)).toEqual([true, false, true, true]);
  });
});

describe("a name that nobody here knows", () => {
  const proxy = "http://127.0.0.1:1";

  test("is refused: git might find another answer a moment later", async () => {
    for (const url of ["https://git.test/x", "http://git.test/x", "git@git.test:x"])
      expect(await refusal(openRemote(url, unknown()))).toBe(
        "nobody knows the host git.test of repo_url: check the address",
      );
  });

  test("is for a proxy to look up, and leads nowhere from here", async () => {
    const remote = await openRemote("https://git.test/x", unknown({ https_proxy: proxy }));
    expect(curlPins(remote)).toContain("git.test:443:255.255.255.255");
    const others: Record<string, string>[] = [
      { http_proxy: proxy },
      { https_proxy: proxy, no_proxy: "other.test, .test" },
    ];
    for (const environment of [...others, { https_proxy: proxy, NO_PROXY: "*" }, { https_proxy: "" }])
      expect(await refusal(openRemote("https://git.test/x", unknown(environment)))).toContain(
        "nobody knows the host",
      );
    // No proxy speaks ssh.
    expect(await refusal(openRemote("git@git.test:x", unknown({ all_proxy: proxy })))).toContain(
      "nobody knows the host",
    );
  });

  test("a proxy is the one that curl takes", () => {
    const of = (scheme: "http" | "https", environment: Record<string, string>) =>
      proxyOf({ scheme, host: "git.test" }, environment);
    expect(of("http", { HTTP_PROXY: proxy })).toBeUndefined();
    expect(of("https", { HTTPS_PROXY: proxy })).toBe(proxy);
    expect(of("http", { ALL_PROXY: proxy, no_proxy: "git.test.example,est" })).toBe(proxy);
  });
});
