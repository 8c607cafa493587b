/** What a route must refuse. A new route needs a row here, or the test that reads the API document fails. */
export type RouteRow = {
  route: string;
  /** A body that the route would take. */
  body?: Record<string, unknown>;
  /** Every field of the body with values that it must refuse; none for a field that takes anything. */
  wrong?: Record<string, unknown[]>;
  /** Every query parameter with texts that it must refuse. */
  query?: Record<string, string[]>;
  /** Takes a list of bodies. */
  list?: true;
  /** It takes no body for an empty one. */
  optional?: true;
  /** What does not fit is refused with 400, in the words of the thread protocol. */
  protocol?: true;
  /** A body that is no message of JSON-RPC is refused with 400, in its words. */
  rpc?: true;
  /** It asks for no key: its address or its signature shows that it may be called. */
  open?: true;
  /** An engine calls it, with a token: without one, nothing of its path is looked at. */
  engine?: true;
  /** The answer to well-formed ids that nobody has; for a route without ids, to the body as it stands. */
  known: number;
};

export const noText = [1, true, {}, []];
/** Half a surrogate pair is no text to a database. */
export const noStoredText = [...noText, "half a pair: \ud800"];
export const noBoolean = ["maybe", 7, {}, []];
export const noObject = ["text", 1, true, []];
export const noList = ["text", 1, true, {}];
export const noLimit = [0, -1, 1.5, 1_001, "ten", {}, 1e300];
export const noOffset = [-1, 1.5, "ten", {}, 1e300];
export const noWord = ["something else", 1, {}, []];
export const noUuid = ["no-uuid", 1, {}, ""];

/** A whole number to JavaScript and none to a database. */
const enormous = "99999999999999999999";
export const limitTexts = ["0", "-1", "1.5", "1001", "ten", "1e400", enormous];
export const offsetTexts = ["-1", "1.5", "ten", "1e300", enormous];
export const booleanTexts = ["maybe", "2"];

/** What a run and a cron must refuse. */
export const repeatedRun = {
  assistant_id: [...noText, ""],
  input: [],
  metadata: noObject,
  config: [...noObject, { tags: "a" }, { recursion_limit: 0 }, { recursion_limit: "x" }, { configurable: 1 }],
  context: [],
  webhook: [...noText, ""],
  interrupt_before: [1, {}, [1], "node"],
  interrupt_after: [1, {}, [1], "node"],
  stream_mode: ["loud", 1, {}, ["values", "loud"]],
  stream_subgraphs: noBoolean,
  stream_resumable: noBoolean,
  checkpoint_during: noBoolean,
  durability: noWord,
};

/** What every run-creating request must refuse. */
export const run = {
  ...repeatedRun,
  command: [...noObject, { update: 1 }, { update: [["a"]] }, { goto: 1 }, { goto: { node: 1, input: {} } }],
  feedback_keys: [...noList, [1], [""], Array(21).fill("key")],
  after_seconds: ["soon", -1, 1e300, {}, []],
  on_disconnect: noWord,
  langsmith_tracer: noObject,
};
