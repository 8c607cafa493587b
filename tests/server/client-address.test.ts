import { expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { ClientAddress, networkOf, PROXY_HEADER } from "../../server/http/client-address.ts";

const told = (peer: string | undefined, proxies: string[], forwardedFor?: string) =>
  new ClientAddress({ proxies, peerOf: () => peer }).of(
    new Request("http://localhost/", {
      headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor },
    }),
  );

test("nobody's word is taken but that of a proxy that is trusted", () => {
  expect(told("203.0.113.9", [], "198.51.100.1")).toBe("203.0.113.9");
  expect(told("203.0.113.9", ["10.0.0.0/8"], "198.51.100.1")).toBe("203.0.113.9");
  expect(told("10.0.0.1", ["10.0.0.0/8"], "198.51.100.1")).toBe("198.51.100.1");
  expect(told("10.0.0.1", ["10.0.0.0/8"])).toBe("10.0.0.1");
  expect(told(undefined, ["10.0.0.0/8"], "198.51.100.1")).toBe("");
});

test("what a client says itself stands before what the proxy adds, and does not count", () => {
  const proxies = ["10.0.0.0/8", "::1"];
  expect(told("10.0.0.1", proxies, "127.0.0.1, 198.51.100.1")).toBe("198.51.100.1");
  expect(told("10.0.0.1", proxies, "1.2.3.4, 198.51.100.1, 10.0.0.7")).toBe("198.51.100.1");
  expect(told("::1", proxies, "10.0.0.9, 10.0.0.7")).toBe("10.0.0.9");
});

test("addresses are known however they are written", () => {
  expect(told("::ffff:10.0.0.1", ["10.0.0.0/8"], "198.51.100.1:4711")).toBe("198.51.100.1");
  expect(told("10.0.0.1", ["10.0.0.0/8"], "[2001:db8::7]:4711")).toBe("2001:db8::7");
  expect(told("10.0.0.1", ["10.0.0.0/8"], "unknown")).toBe("10.0.0.1");
  expect(told("10.0.0.1", ["10.0.0.0/8"], "198.51.100.1, nonsense")).toBe("10.0.0.1");
});

/** What is believed where deployments run, with a secret or without. */
function shared({ peer = "127.0.0.1", secret, proof }: { peer?: string; secret?: string; proof?: string }) {
  let reports = 0;
  const clients = new ClientAddress({
    peerOf: () => peer,
    proxies: ["127.0.0.0/8", "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
    ...(secret !== undefined && { secret }),
    isShared: () => true,
    onUnproven: () => {
      reports += 1;
    },
  });
  const ask = (forwardedFor: string) => {
    const headers = {
      "x-forwarded-for": forwardedFor,
      ...(proof !== undefined && { [PROXY_HEADER]: proof }),
    };
    const request = new Request("http://localhost/", { headers });
    const client = clients.of(request);
    expect(request.headers.has(PROXY_HEADER)).toBe(false);
    return client;
  };
  return { ask, reports: () => reports };
}

test("where deployments run, an address of this machine proves no proxy", () => {
  const own = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .map(({ address }) => address);
  for (const peer of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
    const { ask, reports } = shared({ peer });
    expect(networkOf(ask("198.51.100.1"))).not.toBe("198.51.100.1");
    ask("198.51.100.2");
    expect([peer, reports()]).toEqual([peer, 1]);
  }
  for (const peer of own) expect(shared({ peer }).ask("198.51.100.1")).toBe(peer);
  // A proxy on another machine goes on as before.
  expect(shared({ peer: "10.255.254.253" }).ask("198.51.100.1")).toBe("198.51.100.1");
  // Through a proxy that is believed, deployed code is still itself.
  expect(shared({ peer: "10.255.254.253" }).ask("198.51.100.1, 127.0.0.1")).toBe("127.0.0.1");
});

test("with a secret, only a request with it is a proxy's, from whatever address", () => {
  const secret = "a-secret-of-the-proxy";
  expect(shared({ secret, proof: secret }).ask("198.51.100.1")).toBe("198.51.100.1");
  expect(shared({ secret, proof: secret, peer: "203.0.113.9" }).ask("198.51.100.1")).toBe("198.51.100.1");
  for (const proof of [undefined, "", "wrong", `${secret}x`])
    for (const peer of ["127.0.0.1", "10.255.254.253"])
      expect(shared({ secret, peer, ...(proof !== undefined && { proof }) }).ask("198.51.100.1")).toBe(peer);
  // Nobody is believed by sending what no secret asks for.
  expect(shared({ proof: "" }).ask("198.51.100.1")).toBe("127.0.0.1");
});

test("an IPv6 client counts by its /64, however its address is written", () => {
  const network = "2001:db8:1:2::/64";
  for (const address of [
    "2001:db8:1:2::7",
    "2001:0DB8:1:2:ffff::",
    "2001:db8:1:2:3:4:5:6",
    "2001:db8:1:2:3:4:1.2.3.4",
  ])
    expect([address, networkOf(address)]).toEqual([address, network]);
  expect(networkOf("2001:db8:1:3::7")).toBe("2001:db8:1:3::/64");
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
  expect(networkOf("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
  expect(networkOf("203.0.113.9")).toBe("203.0.113.9");
  expect(networkOf("")).toBe("");
});
