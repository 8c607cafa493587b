import { describe, expect, test } from "bun:test";
import { fingerprintOf, type Seen } from "../../../agent/engine/fingerprint/fingerprint.ts";
import { literalAt } from "../../../agent/engine/fingerprint/literal.ts";
import { normalise } from "../../../agent/engine/fingerprint/message.ts";
import { AT_ONCE_MS } from "../../limits.ts";

const seen = (more: Partial<Seen> = {}): Seen => ({
  detector: "exception",
  error_type: "Error",
  node: "agent",
  tool: null,
  message: "no order 4711",
  ...more,
});

describe("a fingerprint", () => {
  const print = (more?: Partial<Seen>) => fingerprintOf(seen(more)).fingerprint;

  test("says which rules it was made by", () => {
    expect(fingerprintOf(seen())).toMatchObject({ version: 2, message: "no order <n>", error_type: "Error" });
    expect(print()).toMatch(/^v2-[0-9a-f]{32}$/);
  });

  test("is the same for what varies, and for capitals", () => {
    expect(print({ message: "No order 5" })).toBe(print());
  });

  test.each<Partial<Seen>>([
    { detector: "tool_error" },
    { error_type: "TypeError" },
    { node: "tools" },
    { tool: "orders" },
    { message: "no customer 4711" },
  ])("differs by %p", (more) => expect(print(more)).not.toBe(print()));

  test("does not take a step for another because it is named after its item", () => {
    expect(print({ node: "item-12" })).toBe(print({ node: "item-907" }));
  });
});

describe("a message", () => {
  test.each([
    ["connect ECONNREFUSED 10.0.0.1:5432", "connect ECONNREFUSED <host>:5432"],
    [
      "GET https://api.example/v1/x?id=3 failed with status 503 after 1.5s",
      "GET https://api.example/… failed with status 503 after <n>",
    ],
    ["No user anna@example.com in 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "No user <email> in <n>"],
    ['Unknown city "Köln" at 2026-01-02T03:04:05.678Z', "Unknown city <value> at <time>"],
    ["open '/srv/a b.txt' failed: EACCES", "open <value> failed: EACCES"],
    ["it's Anna's turn, don't", "it's Anna's turn, don't"],
    ["utf-8 and sha256 stay, run42 goes", "utf-8 and sha256 stay, <n> goes"],
    ["", ""],
    [
      "'utf-8' codec can't decode byte 0xe9 in position 12: invalid continuation byte",
      "'utf-8' codec can't decode byte",
    ],
    [
      'The "path" argument must be of type string. Received undefined',
      "The 'path' argument must be of type string",
    ],
    [
      "Invalid regular expression: /*.pdf/: Nothing to repeat",
      "Invalid regular expression: <value>: Nothing to repeat",
    ],
    ["Failed to parse URL from shop-mitte", "Failed to parse URL"],
    ["400 Error while downloading https://img.example/1.jpg.", "400 Error while downloading <url>"],
    ["Failed query: select a\nparams: 44,brake-pads", "Failed query: select a"],
    [
      "Invalid `prisma.bike.create()` invocation in\n/srv/velo/src/a.ts:44:21\n\n  41 }\n  42 \n→ 44   await prisma.bike.create(\nUnique constraint failed",
      "Invalid 'prisma.bike.create()' invocation: Unique constraint failed",
    ],
    ["closed next week, on 24.12. and at 14h30", "closed <time>, on <time> and at <time>"],
    ["상품 '겨울 코트'을(를)", "상품 <value>을(를)"],
    ["Upload of plan.pdf to Box failed: 403", "Upload of <path> to Box failed: 403"],
    ["'total' is undefined", "'total' is undefined"],
    ["No such option: --dry-runn", "No such option: '--dry-runn'"],
    ["timed out (activityType=renderPdf, id=12)", "timed out (activityType=renderPdf, id=<value>)"],
    [
      '{"detail":[{"type":"missing","loc":["body","title"],"msg":"Field required","input":{"a":1}}]}',
      "detail type missing, msg Field required, loc body.title",
    ],
    ['{"errors":{"duedate":"It is in the past (12)"}}', "errors duedate: It is in the past (<n>)"],
    [
      "404 Not Found - GET https://registry.npmjs.org/left-padd",
      "404 Not Found - GET https://registry.npmjs.org/left-padd",
    ],
    ["Not found: Table shop.orders of EU", "Not found: Table shop.orders of EU"],
    ["400 euros are too little", "<n> euros are too little"],
    ["404 page not found", "404 page not found"],
    ["value too long for type character varying(40)", "value too long for type character varying(40)"],
    ['"[object Object]" is not valid JSON', "object Object is not valid JSON"],
    ["closed with message \"no queue 'mails' in vhost\"", "closed with message no queue 'mails' in vhost"],
    ["quota metric 'Read requests' of 'u 12'", "quota metric 'Read requests' of <value>"],
    [
      "HTTPSConnectionPool(host='api.rail.example', port=443): Read timed out.",
      "HTTPSConnectionPool api.rail.example:443: Read timed out",
    ],
    ['Invalid character in header content ["X-Guest"]', "Invalid character in header content 'X-Guest'"],
    ["\"['region'] not in index\"", "'region' not in index"],
    [
      "Not Found - https://docs.github.com/rest/issues/issues#create-an-issue",
      "Not Found - https://docs.github.com/… 'create-an-issue'",
    ],
    ["No element matches h1.title on the page", "No element matches 'h1.title' on the page"],
    [
      "locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for locator('#pay')\n  - retrying\n",
      "locator.click: Timeout <n> exceeded. waiting for 'locator(#pay)'",
    ],
  ])("%p becomes %p", (text, wanted) => expect(normalise("Error", text).message).toBe(wanted));

  test("of a megabyte, or made to be hard to read, is read in no time", () => {
    const started = performance.now();
    for (const text of [
      "'".repeat(100_000),
      "[{".repeat(50_000),
      "a.".repeat(100_000),
      "/x".repeat(100_000),
      "1:".repeat(50_000),
      `"${"\\".repeat(100_000)}`,
      " ".repeat(200_000),
      "<n> ".repeat(50_000),
      "a@".repeat(50_000),
      "[SQL:\n".repeat(20_000),
      "Unexpected token a, ".repeat(5_000),
      `evaluating '${"\\'".repeat(50_000)}`,
      `host ${"a-".repeat(50_000)}`,
      `http://${"a@".repeat(50_000)}`,
      "gpt-".repeat(50_000),
      "1-".repeat(50_000),
      "a_".repeat(50_000),
    ])
      normalise("Error", text);
    expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
  });

  test("cannot bring marks of its own", () => {
    expect(normalise("Error", "a \uE000 b \uE001 500 x").message).toBe("a b <n> x");
  });

  test("names the type of its error where the trace does not", () => {
    expect(normalise(null, 'psycopg.errors.UndefinedTable: relation "x" does not exist').error_type).toBe(
      "UndefinedTable",
    );
    expect(normalise("Error", "ValueError('no such city')")).toEqual({
      error_type: "ValueError",
      message: "no such city",
    });
  });
});

describe("a literal", () => {
  test.each<[string, unknown]>([
    [`{"a": [1, true, null]}`, { a: [1, true, null] }],
    [`{'a': 'it\\'s', "b": None, 'c': (1, b'x')}`, { a: "it's", b: null, c: [1, "x"] }],
    ["{ a: undefined, b: -1.5e3, }", { a: null, b: -1500 }],
  ])("%s is read", (text, value) =>
    expect(literalAt(text, 0)).toEqual({ value: value as never, end: text.length }),
  );

  test.each(["[Errno 2]", "{", "[1, 2", "{a b}", "['x]", "[".repeat(50)])("%s is none", (text) =>
    expect(literalAt(text, 0)).toBeUndefined(),
  );
});
