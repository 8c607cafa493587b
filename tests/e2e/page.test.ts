import { describe, expect, test } from "bun:test";
import { request as httpRequest } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { servedBerth } from "./served-berth.ts";

const berth = servedBerth();

type Answer = { status: number; headers: Record<string, string>; bytes: Buffer };

/** As the bytes come over the wire: `fetch` unpacks them and asks for compression by itself. */
function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpRequest(berth.url + path, { method, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      const texts = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(texts),
        bytes: Buffer.concat(chunks),
      });
    });
  });
  request.on("error", reject);
  request.end();
  return promise;
}

/** The addresses that the document loads. */
async function linked(path = "/"): Promise<string[]> {
  const html = (await ask(path)).bytes.toString();
  return addressesIn(html).map((address) => `/${address}`);
}

const addressesIn = (html: string) =>
  [...html.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, address]) => address ?? []);

describe("the document", () => {
  const id = "0197f0a0-0000-7000-8000-000000000001";
  const documents: { of: string; paths: string[] }[] = [
    { of: "the chat", paths: ["/", `/chat/${id}`, "/sign-in", "/?x=1"] },
    {
      of: "the console",
      paths: [
        ...["/console", "/console/", "/console/runs?at=1", "/console/runs/", `/console/traces/${id}`],
        ...[`/console/deployments/${id}/logs`, `/console/deployments/${id}/logs/`],
      ],
    },
  ];
  test.each(documents)(
    "is the same under every address of $of, but for the way to its files",
    async ({ paths }) => {
      const pages = await Promise.all(paths.map((path) => ask(path)));
      const files = await linked(paths[0]);
      const first = pages[0]?.bytes.toString() ?? "";
      for (const [at, { status, headers, bytes }] of pages.entries()) {
        expect([paths[at], status]).toEqual([paths[at], 200]);
        expect(headers["content-type"]).toBe("text/html;charset=utf-8");
        const html = bytes.toString();
        expect(html.replaceAll(/(?:\.\.\/)+assets\//g, "assets/")).toBe(first);
        const found = addressesIn(html).map((address) => new URL(address, berth.url + paths[at]).pathname);
        expect(found).toEqual(files);
      }
      expect(first).toStartWith("<!doctype html>");
    },
  );

  test("loads files of this server only, and has no script of its own", async () => {
    const addresses = await linked();
    expect(addresses.length).toBeGreaterThan(1);
    for (const address of addresses) expect(address).toMatch(/^\/assets\/[\w-]+-[a-z0-9]{8}\.(js|css|svg)$/);
    const html = (await ask("/")).bytes.toString();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
  });

  test("may be kept but is asked for each time, may not be framed, and loads nothing from elsewhere", async () => {
    const { headers } = await ask("/");
    expect(headers).toMatchObject({
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      vary: "Accept-Encoding",
    });
    const policy = Object.fromEntries(
      (headers["content-security-policy"] ?? "").split("; ").map((rule) => {
        const [name = "", ...sources] = rule.split(" ");
        return [name, sources.join(" ")];
      }),
    );
    expect(policy).toEqual({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self' https: data: blob:",
      "font-src": "'self'",
      "connect-src": "'self'",
      "form-action": "'self'",
      "base-uri": "'none'",
      "frame-ancestors": "'none'",
      "frame-src": "'self'",
    });
  });

  test("is not sent again to who has it", async () => {
    const { headers } = await ask("/", { "accept-encoding": "br" });
    const again = await ask("/", { "accept-encoding": "br", "if-none-match": headers.etag ?? "" });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect(again.headers.etag).toBe(headers.etag ?? "");
  });
});

describe("a file that it loads", () => {
  const script = async () => (await linked()).find((address) => address.endsWith(".js")) ?? "no script";

  test("comes compressed as the browser takes it, with its length, and is kept for good", async () => {
    const path = await script();
    const plain = await ask(path);
    const br = await ask(path, { "accept-encoding": "gzip, deflate, br" });
    const gzip = await ask(path, { "accept-encoding": "gzip" });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect([br.headers["content-encoding"], gzip.headers["content-encoding"]]).toEqual(["br", "gzip"]);
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(br.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { status, headers, bytes } of [plain, br, gzip]) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": "text/javascript;charset=utf-8",
        "content-length": String(bytes.length),
        "x-content-type-options": "nosniff",
        vary: "Accept-Encoding",
      });
    }
  });

  test("is made for production", async () => {
    const text = (await ask(await script())).bytes.toString();
    // React says this where it was built for development.
    expect(text.includes("Download the React DevTools")).toBe(false);
    expect(text.includes("sourceMappingURL")).toBe(false);
  });

  test("HEAD tells the length without the bytes", async () => {
    const path = await script();
    const whole = await ask(path, { "accept-encoding": "br" });
    const head = await ask(path, { "accept-encoding": "br" }, "HEAD");
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ["content-length", "content-encoding", "etag", "cache-control"])
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
  });

  test("that does not exist is 404 as JSON, whatever the name", async () => {
    for (const name of ["none.js", "..%2fpackage.json", "%2e%2e%2fmain.tsx", "index.html", "__proto__"]) {
      const { status, bytes } = await ask(`/assets/${name}`);
      expect([name, status, bytes.toString()]).toEqual([name, 404, '{"detail":"No such file"}']);
    }
  });
});

test("a path that is none of the page's stays the API's 404, and a wrong method its 405", async () => {
  for (const path of ["/chat", "/chat/a/b", "/assets", "/threads/x/y/z", "/api/nothing", "/index.html"]) {
    const { status, bytes } = await ask(path, { accept: "text/html" });
    expect([path, status, bytes.toString()]).toEqual([path, 404, '{"detail":"Not Found"}']);
  }
  const posted = await ask("/", {}, "POST");
  expect([posted.status, posted.headers.allow]).toEqual([405, "GET, HEAD"]);
});
