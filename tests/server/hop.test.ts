import { expect, test } from "bun:test";
import { HOP_HEADER, Hops, pathIn, takeHop } from "../../server/http/index.ts";

const MINUTE_MS = 60_000;
let now = 1_000_000;
const clock = { now: () => now };
const hops = new Hops(Buffer.from("a key that both have"), clock);
const what = { method: "POST", path: "/d/one/runs/wait?x=1", client: "203.0.113.7" };

function requestWith(text: string, { method, path } = what): Request {
  return new Request(`http://berth.example${path}`, { method, headers: { [HOP_HEADER]: text } });
}

test("what another Berth of the database says is believed, and is gone from the request", () => {
  const request = requestWith(hops.sign(what));
  expect(takeHop(request, hops)).toEqual({ isProven: true, client: "203.0.113.7" });
  expect(request.headers.has(HOP_HEADER)).toBe(false);
});

test("an address of no one is said, too", () => {
  const none = { ...what, client: "" };
  expect(takeHop(requestWith(hops.sign(none)), hops)).toEqual({ isProven: true, client: "" });
});

test.each<[string, () => string, Partial<typeof what>]>([
  ["made up", () => `${now}.MTI3LjAuMC4x.AAAA`, {}],
  ["no text of ours", () => "yes", {}],
  ["empty", () => "", {}],
  ["about another path", () => hops.sign(what), { path: "/d/other/runs/wait" }],
  ["about another method", () => hops.sign(what), { method: "DELETE" }],
  ["signed with another key", () => new Hops(Buffer.from("another"), clock).sign(what), {}],
  ["about another address", () => hops.sign(what).replace(/\.[^.]+\./, ".MTI3LjAuMC4x."), {}],
])("what is %s is not believed, and yet was said", (_, text, changed) => {
  expect(takeHop(requestWith(text(), { ...what, ...changed }), hops)).toEqual({
    isProven: false,
    client: "",
  });
});

test("what was said a minute ago is not believed any more", () => {
  const text = hops.sign(what);
  now += MINUTE_MS;
  expect(takeHop(requestWith(text), hops)?.isProven).toBe(false);
});

test("where there are no other Berths nobody is believed, and the word is taken off all the same", () => {
  const request = requestWith(hops.sign(what));
  expect(takeHop(request, undefined)).toEqual({ isProven: false, client: "" });
  expect(request.headers.has(HOP_HEADER)).toBe(false);
  expect(takeHop(new Request("http://berth.example/"), hops)).toBeUndefined();
});

test.each([
  ["http://a/b?c", "/b?c"],
  ["http://a:1", "/"],
  ["http://a//b", "//b"],
])("the path in %s is %s", (url, path) => {
  expect(pathIn(url)).toBe(path);
});
