import { expect, test } from "bun:test";
import { nextMillisecond } from "./condition.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { present } from "./stream-parts.ts";

const berth = servedBerth();

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });
  const root = () => crypto.randomUUID();

  test("put, get, put again, delete", async () => {
    const { store } = connect();
    const namespace = [root(), "notes"];
    await store.putItem(namespace, "one", { text: "first" });
    const first = present(await store.getItem(namespace, "one"));
    expect(first).toMatchObject({ namespace, key: "one", value: { text: "first" } });
    await store.putItem(namespace, "one", { text: "second" });
    const second = present(await store.getItem(namespace, "one"));
    expect(second.value).toEqual({ text: "second" });
    const times = (item: object) => JSON.parse(JSON.stringify(item)) as Record<string, string>;
    const at = (item: object, name: string) => Date.parse(present(times(item)[name]));
    const created = Object.keys(times(first)).find((name) => /created/i.test(name)) ?? "";
    const updated = Object.keys(times(first)).find((name) => /updated/i.test(name)) ?? "";
    expect(at(second, created)).toBe(at(first, created));
    expect(at(second, updated)).toBeGreaterThan(at(first, updated));

    await store.deleteItem(namespace, "one");
    await store.deleteItem(namespace, "one");
    expect(await store.getItem(namespace, "one")).toBeNull();
    expect((await store.searchItems(namespace)).items).toEqual([]);
    expect((await store.listNamespaces({ prefix: namespace })).namespaces).toEqual([]);
  });

  test("search: below a namespace of whole labels, filtered, paged, last changed first", async () => {
    const { store } = connect();
    const base = root();
    for (const [index, name] of ["a", "b", "c", "d"].entries()) {
      await store.putItem([base, "x"], name, { index, even: index % 2 === 0 });
      await nextMillisecond();
    }
    await store.putItem([`${base}x`], "sibling", { index: 9 });
    await store.putItem([base, "x", "deep"], "e", { index: 4, even: true });
    const keys = async (options: object, prefix: string[] = [base]) =>
      (await store.searchItems(prefix, options)).items.map(({ key }) => key);

    expect(await keys({})).toEqual(["e", "d", "c", "b", "a"]);
    expect(await keys({ limit: 2, offset: 1 })).toEqual(["d", "c"]);
    expect(await keys({ filter: { even: true } })).toEqual(["e", "c", "a"]);
    expect(await keys({ filter: { index: { $gte: 1, $lt: 4 }, even: { $ne: true } } })).toEqual(["d", "b"]);
    expect(await keys({}, [base, "x", "deep"])).toEqual(["e"]);
    expect(await keys({ filter: { index: 77 } })).toEqual([]);
  });

  test("namespaces: by prefix, suffix and depth, with wildcards", async () => {
    const { store } = connect();
    const base = root();
    for (const namespace of [
      [base, "users", "ada", "notes"],
      [base, "users", "bob", "notes"],
      [base, "users", "bob", "tasks"],
      [base, "teams"],
    ])
      await store.putItem(namespace, "key", { here: true });
    const list = async (options: object) => {
      const { namespaces } = await store.listNamespaces({ prefix: [base], ...options });
      return namespaces.map((namespace) => namespace.slice(1).join("/"));
    };

    expect(await list({})).toEqual(["teams", "users/ada/notes", "users/bob/notes", "users/bob/tasks"]);
    expect(await list({ maxDepth: 2 })).toEqual(["teams", "users"]);
    expect(await list({ suffix: ["notes"] })).toEqual(["users/ada/notes", "users/bob/notes"]);
    expect(await list({ prefix: [base, "users", "*", "tasks"] })).toEqual(["users/bob/tasks"]);
    expect(await list({ limit: 1, offset: 1 })).toEqual(["users/ada/notes"]);
  });

  test("what a graph keeps is seen over HTTP, and the other way round", async () => {
    const client = connect();
    const note = root();
    await client.runs.wait(null, "memory", { input: { note } });
    expect((await client.store.getItem(["notes", "ada"], "last"))?.value).toEqual({ note });
    const other = root();
    await client.store.putItem(["notes", "ada"], "last", { note: other });
    expect(await client.runs.wait(null, "memory", { input: { note } })).toEqual({ note, previous: other });
  });

  test("labels with a dot and an empty namespace are refused", async () => {
    const { store } = connect();
    await expect(store.putItem([], "key", { a: 1 })).rejects.toThrow(/HTTP 4/);
    await expect(store.putItem(["a.b"], "key", { a: 1 })).rejects.toThrow();
  });
});
