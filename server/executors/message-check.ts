import type { FromExecutor } from "@berth/agent";
import { MAX_PAGE_CHECKPOINTS, MAX_PAGE_ROWS } from "@berth/store";
import { type TProperties, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";

/** Maximum length of an id, the name of a channel, a version or a tag. */
const MAX_NAME_CHARS = 1_024;
/** Maximum length of a namespace, and of the name of an event, which contains one. */
const MAX_NAMESPACE_CHARS = 16_384;
/** Maximum number of channels by which a read of writes filters. */
const MAX_CHANNELS = 1_024;
/** Maximum number of elements of a list in a message. */
const MAX_ELEMENTS = 1_000_000;

const Name = Type.String({ maxLength: MAX_NAME_CHARS });
const Namespace = Type.String({ maxLength: MAX_NAMESPACE_CHARS });
const Text = Type.String();
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Fields = Type.Record(Type.String(), Type.Unknown());
const Nullable = <Schema extends typeof Name | typeof Count>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const Optional = Type.Optional;
const list = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema, maxItems = MAX_ELEMENTS) =>
  Type.Array(schema, { maxItems });

const Fault = Type.Object({
  name: Text,
  message: Text,
  stack: Optional(Text),
  code: Optional(Text),
  details: Optional(list(Fields)),
  refusal: Optional(Type.Object({ status: Count, headers: Type.Record(Type.String(), Text) })),
});

const Segment = Type.Object({ list: Name, length: Count, end: Count, tag: Name });
const Plan = Type.Object({
  segments: list(Segment),
  chunk: Optional(Type.Object({ list: Name, start: Count, count: Count, tag: Name, value: Text })),
  after: Optional(Name),
  settled: Type.Object({ segments: list(Segment), length: Count }),
  unsettled: list(Text),
  length: Count,
});
const Version = { channel: Name, version: Name };
const Stored = { type: Type.Union(["json", "bytes"].map((type) => Type.Literal(type))), value: Text };

const Write = Type.Union([
  Type.Object({
    kind: Type.Literal("checkpoint"),
    encoded: Type.Object({
      row: Type.Object({
        ...{ thread_id: Name, ns: Namespace, checkpoint_id: Name, parent_id: Nullable(Name) },
        ...{ run_id: Nullable(Name), checkpoint: Text, metadata: Text },
      }),
      values: list(Type.Object({ ...Version, ...Stored, length: Nullable(Count) })),
      lists: list(Type.Object({ ...Version, plan: Plan })),
    }),
  }),
  Type.Object({
    kind: Type.Literal("writes"),
    at: Type.Object({
      ...{ thread: Name, ns: Namespace, checkpoint: Name, task: Name, path: Namespace },
      run: Nullable(Name),
    }),
    rows: list(Type.Object({ idx: Type.Integer(), channel: Name, ...Stored })),
  }),
]);

const Emission = Type.Object({
  // A line break would begin another event for clients that read a stream.
  name: Type.String({ maxLength: MAX_NAMESPACE_CHARS, pattern: "^[^\\r\\n]*$" }),
  json: Text,
  tail: Optional(Count),
});
const Output = Type.Union([
  Type.Object({ event: Emission, shown: Optional(Count) }),
  Type.Object({ write: Write, number: Count }),
]);

const At = { thread: Name, ns: Namespace };
const Position = { checkpoint: Name, task: Name, idx: Type.Integer() };
const read = (method: string, query: TProperties) =>
  Type.Object({ method: Type.Literal(method), query: Type.Object(query, { additionalProperties: false }) });
const Large = Type.Union([
  Type.Object({ of: Type.Literal("value"), ...At, ...Version }),
  Type.Object({ of: Type.Literal("write"), ...At, ...Position }),
  Type.Object({ of: Type.Literal("chunk"), thread: Name, list: Name, start: Count }),
]);

const Read = Type.Union([
  read("checkpoint", { ...At, checkpoint: Optional(Name) }),
  read("checkpoints", {
    ...{
      thread: Optional(Name),
      ns: Optional(Namespace),
      checkpoint: Optional(Name),
      before: Optional(Name),
    },
    ...{ filter: Optional(Fields), after: Optional(Type.Object({ ...At, checkpoint: Name })), limit: Count },
  }),
  read("ancestors", { ...At, checkpoint: Name }),
  read("values", { ...At, versions: list(Type.Object(Version), MAX_PAGE_ROWS) }),
  read("writes", {
    ...At,
    checkpoints: list(Name, MAX_PAGE_CHECKPOINTS),
    channels: Optional(list(Name, MAX_CHANNELS)),
    after: Optional(Type.Object(Position)),
  }),
  read("chunks", { thread: Name, list: Name, from: Count, end: Count }),
  Type.Object({ method: Type.Literal("largeValue"), query: Large }),
]);

const wish = (of: string, fields: TProperties = {}) => Type.Object({ of: Type.Literal(of), ...fields });
const Wish = Type.Union([
  wish("settle", { job: Count }),
  wish("read", { read: Read }),
  wish("items", { operations: Text }),
  wish("session"),
  wish("spans", { spans: list(Fields) }),
  wish("traces", { traces: list(list(Fields)) }),
  wish("lost", { traceId: Name, since: Type.Number() }),
  wish("request", { request: Count }),
]);

const End = Type.Object({
  thrown: Optional(Type.Object({ error: Text, message: Text })),
  origin: Optional(Text),
  nodeRuns: Optional(Type.Boolean()),
  interrupts: Optional(Text),
  hasValues: Type.Boolean(),
  text: Optional(Text),
});

/** The fields of each message beside its type. */
const FIELDS: Record<FromExecutor["type"], TProperties> = {
  ready: { protocol: Count, facts: Fields },
  unready: { fault: Fault },
  begun: { call: Count },
  gives: { job: Count, given: list(Output) },
  ended: { job: Count, end: End },
  lost: { job: Count, why: Text },
  wish: { call: Count, wish: Wish },
  span: { span: Fields },
  log: { event: Name, fields: Fields },
  pong: {},
  body: { of: Name, body: Count, chunk: Optional(Type.Uint8Array()), fault: Optional(Fault) },
  answer: { call: Count, value: Optional(Type.Unknown()), fault: Optional(Fault) },
};

const compiled = new Map<string, TypeCheck<ReturnType<typeof Type.Object>>>();

function checkOf(type: string) {
  if (!Object.hasOwn(FIELDS, type)) return undefined;
  const known = compiled.get(type);
  if (known) return known;
  const check = TypeCompiler.Compile(
    Type.Object({ type: Type.Literal(type), ...FIELDS[type as FromExecutor["type"]] }),
  );
  compiled.set(type, check);
  return check;
}

/**
 * Returns what is wrong with messages of a worker process, whose project code can send anything; undefined where they
 * fit the protocol.
 */
export function messageFault(messages: readonly unknown[]): string | undefined {
  for (const message of messages) {
    const type: unknown = typeof message === "object" && message !== null && Reflect.get(message, "type");
    const check = typeof type === "string" ? checkOf(type) : undefined;
    if (!check) return `a message of an unknown type: ${String(type).slice(0, MAX_NAME_CHARS)}`;
    if (check.Check(message)) continue;
    const { path, message: wrong } = check.Errors(message).First() ?? {};
    return `${type}${path}: ${wrong}`;
  }
  return undefined;
}
