import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { servedBerth } from "../served-berth.ts";

/** Its handlers put the identity in front of each namespace. */
const berth = servedBerth({ project: join(import.meta.dir, "project") });

async function send(token: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${berth.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text === "" ? undefined : JSON.parse(text) };
}

/** Where the items of `john.doe@corp.com` would be if dots in the identity separated labels. */
const namespace = ["doe@corp", "com", "notes"];

beforeAll(async () => {
  const put = await send("john", "PUT", "/store/items", { namespace, key: "k", value: { text: "forged" } });
  expect(put.status).toBe(204);
});

/** Each operation on items in the namespace `notes` of the caller. */
const OPERATIONS: [method: string, path: string, body: object | undefined][] = [
  ["GET", "/store/items?namespace=notes&key=k", undefined],
  ["GET", "/store/items?namespace=notes.more&key=k", undefined],
  ["GET", "/store/items?key=k", undefined],
  ["PUT", "/store/items", { namespace: ["notes"], key: "k", value: {} }],
  ["DELETE", "/store/items", { namespace: ["notes"], key: "k" }],
  ["POST", "/store/items/search", { namespace_prefix: ["notes"] }],
  ["POST", "/store/items/search", {}],
  ["POST", "/store/namespaces", { prefix: ["notes"] }],
  ["POST", "/store/namespaces", {}],
];

test.each(OPERATIONS)(
  "%s %s %j: a label with a dot that the handler added is not split",
  async (method, path, sent) => {
    const { status, text, body } = await send("johndoe", method, path, sent);
    expect(text).not.toContain("forged");
    const msg = "Namespace labels cannot be empty or contain periods ('.')";
    expect({ status, detail: body.detail }).toMatchObject({
      status: 422,
      detail: [{ loc: ["body", expect.any(String)], msg, type: "value_error" }],
    });
    const own = await send("john", "GET", `/store/items?namespace=${namespace.join(".")}&key=k`);
    // The dot in `doe@corp.com` separates labels, because the client joined them.
    expect(own.body).toMatchObject({ namespace: ["john", ...namespace], value: { text: "forged" } });
  },
);

test("a namespace in a query is split once, and the handler sees its labels", async () => {
  for (const query of ["namespace=doe%40corp.com.notes", "namespace=doe%40corp&namespace=com.notes"])
    expect((await send("john", "GET", `/store/items?${query}&key=k`)).body.value).toEqual({ text: "forged" });
  // A namespace that begins with the identity stays as it is.
  const query = "namespace=john.doe%40corp.com.notes";
  expect((await send("john", "GET", `/store/items?${query}&key=k`)).body.value).toEqual({ text: "forged" });
});
