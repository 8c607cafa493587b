import { expect, test } from "bun:test";
import { ownerView } from "../../../agent/protocol/event.ts";
import { BEGIN, foldOf, framesOf, lifecycleOf, type Told, token } from "./frames.ts";

const CITY = '"namespace":["agent:t1"]';
const events = foldOf(
  framesOf([
    ...BEGIN,
    ["tasks", { id: "t1", name: "agent", input: CITY }],
    token("m1", CITY, "agent:t1"),
    token("m2", "inside", "research:t2|think:t3"),
    ["custom|agent:t1", { name: "steps", payload: 1 }],
    ["values", { messages: [] }],
    ["end", { status: "success" }],
  ]),
);
const shown = events.flatMap((event) => ownerView(event) ?? []);
const read = (json: string) => JSON.parse(json) as Told;

test("tokens are where the graph is that owns their node, and say so", () => {
  const messages = shown.filter(({ method }) => method === "messages");
  const places = new Set(messages.map(({ namespace }) => namespace.join("|")));
  expect(places).toEqual(new Set(["", "research:t2"]));
  for (const { namespace, json } of messages) expect(read(json).params.namespace).toEqual([...namespace]);
});

test("nothing else of an event changes", () => {
  for (const event of shown) {
    const { params, ...rest } = read(event.json);
    const before = read(events.find(({ seq }) => seq === event.seq)?.json ?? "");
    expect({ ...rest, params: { ...params, namespace: before.params.namespace } }).toEqual(before);
  }
});

test("of lifecycle the run's own is left; tasks, values and what graphs write stay where they are", () => {
  expect(lifecycleOf(shown.map(({ json }) => read(json)))).toEqual([" running", " completed"]);
  const others = (all: typeof events) =>
    all.filter(({ method }) => ["tasks", "values", "custom"].includes(method)).map(({ json }) => json);
  expect(others(shown)).toEqual(others(events));
  expect(others(shown)).toHaveLength(3);
});

test("readers share what is made of an event", () => {
  for (const event of events) expect(ownerView(event)).toBe(ownerView(event));
});
