import { expect, test } from "bun:test";
import exceptions from "./exceptions.json";
import { brokenPromises, PROMISES } from "./promises.ts";
import { readSources, type Source } from "./source.ts";

const found = brokenPromises(readSources());

test.each(Object.keys(PROMISES))(
  "no more %s than are listed, and the list is no longer than they are",
  (name) => {
    // More: the new code has to keep the promise. Fewer: take them out of exceptions.json, which only ever shrinks.
    const listed: Record<string, Record<string, number>> = exceptions;
    expect(found[name]).toEqual(listed[name] ?? {});
  },
);

const source = (path: string, text: string): Source => ({ path, text, imports: [] });
const lines = (count: number) => Array.from({ length: count - 2 }, () => "  work();").join("\n");

const BROKEN: [promise: string, path: string, text: string][] = [
  ["functions of more than 50 lines", "web/a.tsx", `export function Page() {\n${lines(51)}\n}`],
  ["functions of more than 50 lines", "agent/a.ts", `const a = async () => {\n${lines(51)}\n};`],
  ["functions of more than 50 lines", "store/a.ts", `class A {\n  a() {\n${lines(51)}\n}\n}`],
  ["process.env outside the command line", "server/http/a.ts", "export const port = process.env.PORT;"],
  ["process.env outside the command line", "agent/a.ts", "const { PORT } = process.env;"],
  ["time that is not from a Clock", "server/a.ts", "const at = Date.now();"],
  ["time that is not from a Clock", "store/a.ts", "const at = new Date().toISOString();"],
  ["time that is not from a Clock", "store/a.ts", "export const clock = (now = Date.now) => now();"],
  ["SQL outside store", "server/a.ts", 'db.run("DELETE FROM runs");'],
  ["SQL outside store", "agent/a.ts", "db.run(`SELECT * FROM runs`);"],
  ["texts outside a page's words", "web/a.tsx", "const a = <p>Hello</p>;"],
  ["texts outside a page's words", "web/a.tsx", 'const a = <Field label="Name" />;'],
  ["texts outside a page's words", "web/a.tsx", 'const a = <p>{isOpen ? WORDS.less : "More"}</p>;'],
  ["texts outside a page's words", "web/a.tsx", `const a = <Field label={\`Name of \${thing}\`} />;`],
  ["texts outside a page's words", "web/a.ts", 'const entry = { label: "Delete", onSelect };'],
  ["texts outside a page's words", "web/a.ts", 'throw new Error("The run failed.");'],
  [
    "texts outside a page's words",
    "web/a.ts",
    'const end = { status: "failed", error: "It took too long." };',
  ],
  ["HTTP outside server", "agent/a.ts", "await fetch(url);"],
  ["HTTP outside server", "agent/a.ts", "return new Response();"],
  ["HTTP outside server", "store/a.ts", 'import { createServer } from "node:http";'],
];

test.each(BROKEN)("%s are told: %s", (promise, path, text) => {
  expect(brokenPromises([source(path, text)])[promise]).toEqual({ [path]: 1 });
});

const KEPT: [path: string, text: string][] = [
  ["store/a.ts", `export function a() {\n${lines(50)}\n}`],
  ["server/cli/a.ts", "const environment = process.env;"],
  ["agent/templates/chat/a.ts", "const key = process.env.KEY; await fetch(key);"],
  ["store/clock.ts", "export const clock = { now: () => Date.now() };"],
  ["server/a.ts", "const at = new Date(clock.now());"],
  ["server/a.ts", 'const text = "Select one of them"; await fetch(text);'],
  ["agent/a.ts", "const said = await new Response(child.stdout).text();"],
  ["web/a.tsx", 'const a = <p className="note" data-testid="note">{WORDS.hello} · {count}</p>;'],
  ["web/console/runs/words.tsx", "export const WORDS = { none: <p>No runs yet</p> };"],
  ["web/console/screens.tsx", 'const area = { id: "runs", label: "Runs" };'],
  ["web/a.tsx", 'const a = <p>{state === "open" && WORDS.open}</p>;'],
  ["web/a.ts", 'throw new Error("useSource() is for components inside of it");'],
  ["agent/a.ts", "type App = { fetch(request: Request): Response };"],
];

test.each(KEPT)("nothing is told of what is as it should be: %s", (path, text) => {
  expect(
    Object.values(brokenPromises([source(path, text)])).flatMap((counts) => Object.keys(counts)),
  ).toEqual([]);
});
