import { describe, expect, test } from "bun:test";
import { checkUrl, readUrl } from "../../../server/reach/destination.ts";
import { Reach, Refused } from "../../../server/reach/reach.ts";

const closed = new Reach([]);
const open = new Reach(["127.0.0.0/8", "10.0.0.0/8", "::1"]);
const nobody = async (): Promise<string[]> => {
  throw new Error("ENOTFOUND");
};
const answering =
  (...addresses: string[]) =>
  async () =>
    addresses;

describe("an address literal is refused", () => {
  const ranges: [range: string, first: string, last: string][] = [
    ["this network", "0.0.0.0", "0.255.255.255"],
    ["10/8", "10.0.0.0", "10.255.255.255"],
    ["carrier NAT", "100.64.0.0", "100.127.255.255"],
    ["loopback", "127.0.0.0", "127.255.255.255"],
    ["link-local", "169.254.0.0", "169.254.255.255"],
    ["172.16/12", "172.16.0.0", "172.31.255.255"],
    ["IETF", "192.0.0.0", "192.0.0.255"],
    ["documentation 1", "192.0.2.0", "192.0.2.255"],
    ["6to4 relays", "192.88.99.0", "192.88.99.255"],
    ["192.168/16", "192.168.0.0", "192.168.255.255"],
    ["benchmarks", "198.18.0.0", "198.19.255.255"],
    ["documentation 2", "198.51.100.0", "198.51.100.255"],
    ["documentation 3", "203.0.113.0", "203.0.113.255"],
    ["multicast", "224.0.0.0", "239.255.255.255"],
    ["reserved", "240.0.0.0", "255.255.255.255"],
    ["unspecified and IPv4 in its old form", "::", "::ffff:ffff"],
    ["translated", "::ffff:0:a00:1", "::ffff:0:ffff:ffff"],
    ["link-local v6", "fe80::", "febf::1"],
    ["site-local", "fec0::", "feff::1"],
    ["unique local", "fc00::", "fdff::1"],
    ["multicast v6", "ff00::", "ffff::1"],
    ["documentation v6", "2001:db8::", "2001:db8:ffff::1"],
    ["documentation v6, new", "3fff::", "3fff:fff::1"],
    ["discard", "100::", "100::ffff"],
    ["NAT64", "64:ff9b::", "64:ff9b::ffff:ffff"],
    ["NAT64, local", "64:ff9b:1::", "64:ff9b:1:ffff::1"],
    ["6to4", "2002::", "2002:ffff::1"],
    ["Teredo", "2001::", "2001:0:ffff::1"],
    ["segment routing", "5f00::", "5f00:ffff::1"],
    ["mapped private", "::ffff:10.0.0.1", "::ffff:a00:1"],
    ["mapped metadata", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe"],
    ["metadata of Azure", "168.63.129.16", "::ffff:168.63.129.16"],
  ];
  test.each(ranges)("%s", (_, first, last) => {
    for (const address of [first, last])
      expect([address, closed.refusal(address, 80)]).not.toContain(undefined);
  });

  test("but not when it is public, right beside those", () => {
    const beside = [
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.0",
    ];
    const more = ["169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "198.17.255.255"];
    for (const address of [...beside, ...more, "8.8.8.8", "2606:4700::1111", "2001:4860:4860::8888"])
      expect([address, closed.refusal(address, 80)]).toEqual([address, undefined]);
    expect(closed.refusal("::ffff:8.8.8.8", 80)).toBeUndefined();
  });
});

describe("WEBHOOK_ALLOW", () => {
  test("opens its ranges, in both clothes, and nothing beside them", () => {
    for (const address of ["127.0.0.1", "127.9.9.9", "10.1.2.3", "::1", "::ffff:10.1.2.3"])
      expect([address, open.refusal(address, 80)]).toEqual([address, undefined]);
    for (const address of ["192.168.0.1", "fd00::1", "172.16.0.1"])
      expect(open.refusal(address, 80)).toContain("private");
  });

  test("never opens metadata, link-local, multicast or nobody, however they are spelt", () => {
    const all = new Reach(["0.0.0.0/0", "::/0"]);
    const never = ["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1"];
    const more = [
      "::a9fe:a9fe",
      "fe80::1",
      "fd00:ec2::254",
      "fd20:ce::254",
      "100.100.100.200",
      "168.63.129.16",
    ];
    for (const address of [
      ...never,
      ...more,
      "192.0.0.192",
      "0.0.0.0",
      "0.1.2.3",
      "::",
      "224.0.0.1",
      "ff02::1",
    ])
      expect([address, all.refusal(address, 80)]).not.toContain(undefined);
    for (const address of ["10.0.0.1", "::1", "64:ff9b::808:808", "192.168.1.1", "8.8.8.8"])
      expect([address, all.refusal(address, 80)]).toEqual([address, undefined]);
  });

  test("is named by a refusal where it would help", async () => {
    const reach = new Reach([], { setting: "WEBHOOK_ALLOW", ownPorts: () => [8123] });
    const refusal = (url: string, resolve = nobody) =>
      checkUrl(url, reach, resolve).then(
        () => undefined,
        (error: Error) => error.message,
      );
    expect(await refusal("http://10.1.2.3/")).toEndWith("To allow it, add 10.1.2.3 to WEBHOOK_ALLOW");
    expect(await refusal("http://localhost/")).toEndWith("To allow it, add 127.0.0.1 to WEBHOOK_ALLOW");
    expect(await refusal("http://git.example/", answering("10.0.0.7"))).toEndWith(
      "add 10.0.0.7 to WEBHOOK_ALLOW",
    );
    expect(await refusal("http://api.internal/", answering("10.0.0.8", "8.8.8.8"))).toEndWith(
      "add 10.0.0.8,8.8.8.8 to WEBHOOK_ALLOW",
    );
    for (const [url, resolve] of [
      ["http://169.254.169.254/", nobody],
      ["http://metadata.internal/", answering("169.254.169.254")],
      ["http://unknown.example/", nobody],
    ] as const)
      expect(await refusal(url, resolve)).not.toContain("WEBHOOK_ALLOW");
    expect(closed.refusal("10.0.0.1", 80)).toBe("is a private or reserved address");
  });

  test.each([
    "10.0.0.0/33",
    "10.0.0/8",
    "example.com",
    "10.0.0.0/8/8",
    "::/129",
    "10.0.0.0/x",
    "10.0.0.0/",
    "/8",
  ])("refuses %s", (range) => expect(() => new Reach([range])).toThrow(Refused));

  test("does not open this server itself", () => {
    const ports = { ownPorts: () => [8123, 9000], interfaces: () => ["192.168.1.7"] };
    const own = new Reach(["0.0.0.0/0", "::/0"], ports);
    for (const address of ["127.0.0.1", "127.0.0.9", "::1", "192.168.1.7"]) {
      for (const port of [8123, 9000]) expect(own.refusal(address, port)).toContain("itself");
      expect(own.refusal(address, 8124)).toBeUndefined();
    }
    expect(own.refusal("192.168.1.8", 8123)).toBeUndefined();
  });
});

describe("a URL is refused", () => {
  const odd = [
    "http://0x7f.1/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1./",
  ];
  const stranger = ["http://１２７.0.0.1/", "http://①②⑦.0.0.1/", "http://%31%32%37.0.0.1/", "http://[::1]/"];
  const mapped = ["http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:ffff:7f00:1]/"];
  const others = ["http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://0/", "http://0.0.0.0/"];
  const literals = [...odd, ...stranger, ...mapped, ...others, "http://3232235521/", "http://0xa9fea9fe/"];
  test.each(literals)("%s, which is an address that is not public", (text) =>
    expect(checkUrl(text, closed, nobody)).rejects.toThrow(/private|metadata|no address/),
  );

  const names = ["http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://a.localhost/"];
  test.each([...names, "http://localhost.localdomain/"])("%s, which is this machine", (text) =>
    expect(checkUrl(text, closed, answering("8.8.8.8"))).rejects.toThrow("this machine"),
  );

  test.each(["http://metadata.google.internal/", "http://db.internal./", "http://internal/"])(
    "%s, which is a name of the inside",
    (text) => expect(checkUrl(text, open, answering("8.8.8.8"))).rejects.toThrow("inside"),
  );

  const malformed = [
    ...[
      "",
      "example.com",
      "//example.com",
      "ftp://example.com/",
      "file:///etc/passwd",
      "javascript:alert(1)",
    ],
    ...[
      "http:example.com",
      "http:/example.com",
      "http:\\\\example.com",
      "http:///example.com",
      " http://a.com",
    ],
    ...[
      "http://a.com/\r\nX: y",
      "http://a.com/\t",
      "http://a b.com/",
      "http://a.com/ b",
      "http://[::1",
      "http://",
    ],
    ...[
      "http://a.com:99999/",
      "http://[fe80::1%25eth0]/",
      "http://256.1.1.1/",
      `http://a.com/${"x".repeat(2_048)}`,
    ],
    ...["http://user:password@a.com/", "http://user@a.com/", "http://@a.com/", "http://a.com/#part"],
    ...["http://a.com:0/", "http://a.com:22/", "http://a.com:25/", "http://a.com:6379/"],
  ];
  test.each(malformed)("%j, for how it is written", (text) => expect(() => readUrl(text)).toThrow(Refused));

  const resolved: [what: string, addresses: string[]][] = [
    ["private", ["10.0.0.1"]],
    ["public and private", ["93.184.215.14", "10.0.0.1"]],
    ["private behind public v6", ["2606:4700::1111", "fd00::1"]],
    ["loopback in IPv6 clothes", ["::ffff:127.0.0.1"]],
    ["metadata", ["169.254.169.254"]],
    ["no address at all", []],
  ];
  test.each(resolved)("when its name is %s", (_, addresses) =>
    expect(checkUrl("http://127.0.0.1.nip.io/", closed, answering(...addresses))).rejects.toThrow(Refused),
  );

  test("when its name cannot be looked up", () =>
    expect(checkUrl("https://no.such.name/", closed, nobody)).rejects.toThrow(
      "no.such.name cannot be looked up",
    ));
});

describe("a URL is taken", () => {
  test("when all that its name stands for is public", async () => {
    const url = await checkUrl(
      "https://Hooks.Example.com:8443/a?b=c",
      closed,
      answering("93.184.215.14", "2606:4700::1"),
    );
    expect(url.href).toBe("https://hooks.example.com:8443/a?b=c");
  });

  test("when its range was opened: then localhost is those of its addresses", async () => {
    const four = new Reach(["127.0.0.0/8"]);
    for (const text of ["http://127.0.0.1:5000/", "http://localhost:5000/", "http://app.localhost:5000/"])
      expect((await checkUrl(text, four, nobody)).port).toBe("5000");
    await expect(checkUrl("http://[::1]/", four, nobody)).rejects.toThrow("private");
    expect((await checkUrl("http://host.docker.internal/", open, answering("10.0.0.9"))).port).toBe("");
  });
});

test("any text is taken or refused, and what is taken is http to a host", () => {
  const pieces = [
    "http://",
    "https://",
    "@",
    ":",
    "/",
    "\\",
    "[",
    "]",
    "%",
    "#",
    "?",
    ".",
    "\r\n",
    "\0",
    "a",
    "127.1",
    "é",
  ];
  let seed = 7;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed;
  };
  for (let round = 0; round < 3_000; round += 1) {
    const text = Array.from({ length: next() % 9 }, () => pieces[next() % pieces.length]).join("");
    try {
      const url = readUrl(text);
      expect(["http:", "https:"]).toContain(url.protocol);
      expect([url.username, url.password, url.hash]).toEqual(["", "", ""]);
      expect(url.hostname).not.toBe("");
    } catch (error) {
      expect(error).toBeInstanceOf(Refused);
    }
  }
});
