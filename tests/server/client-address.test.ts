import { expect, test } from "bun:test";
import { ClientAddress } from "../../server/http/client-address.ts";

const told = (peer: string | undefined, proxies: string[], forwardedFor?: string) =>
  new ClientAddress(proxies, () => peer).of(
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
