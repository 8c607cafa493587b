import { randomNumbers } from "../items/vectors/random-vectors.ts";

/** Keys that LangChain, LangGraph, JSON.stringify, JavaScript or Berth give a meaning. */
const KEYS = [
  ...[
    "lc",
    "type",
    "id",
    "kwargs",
    "lc_kwargs",
    "lc_secrets",
    "lc_serializable",
    "lc_namespace",
    "lc_aliases",
  ],
  ...[
    "lg_name",
    "toJSON",
    "toDict",
    "__proto__",
    "constructor",
    "prototype",
    "berth:plain",
    "berth:py",
    "view",
  ],
  ...["__lc_escaped__", "node", "args", "name", "value", "method", "content", "then", "length", "0", "other"],
];

const MESSAGE_ID = ["langchain_core", "messages", "HumanMessage"];
const PROMPT_ID = ["langchain_core", "prompts", "prompt", "PromptTemplate"];

/** Values with a meaning under some of the keys. */
const LIKELY: Record<string, unknown[]> = {
  lc: [1, 2],
  type: ["constructor", "undefined", "bigint", "delta_snapshot", "secret", "human"],
  id: [MESSAGE_ID, PROMPT_ID, ["Set"], ["Map"], ["RegExp"], ["Error"], ["Uint8Array"], ["HOME"]],
  kwargs: [{ content: "x" }, { template: "{a}", input_variables: ["a"] }],
  lc_kwargs: [{ content: "y" }, { content: "x", artifact: 1 }],
  lg_name: ["Send", "Command", "DeltaSnapshot"],
  args: [[["x"]], [[["a", 1]]], ["(", "g"], ["boom"], [[1, 2]]],
  value: ["12345678901234567890"],
  "berth:py": [["json", "e30="]],
};

const SCALARS = [null, true, false, 0, 1, 2, -1.5, "", "x", "constructor", "berth:plain"];
const DEEPEST = 5;

/** Generates JSON that serializers may take for their own; the same for the same seed. */
export class RandomJson {
  readonly #number: () => number;

  constructor(seed: number) {
    this.#number = randomNumbers(seed);
  }

  value(depth = 0): unknown {
    const kind = this.#number();
    if (depth >= DEEPEST || kind < 0.2) return this.#oneOf(SCALARS);
    if (kind < 0.3) return Array.from({ length: this.#below(4) }, () => this.value(depth + 1));
    return this.object(depth);
  }

  object(depth = 0): object {
    const shape = this.#number();
    if (shape < 0.15) return { [this.#oneOf(["berth:plain", "__lc_escaped__"])]: this.value(depth + 1) };
    const needed = shape < 0.55 ? ["lc", "type", "id", "kwargs", "args", "value"] : [];
    const more = Array.from({ length: this.#below(6) }, () => this.#oneOf(KEYS));
    // An assignment would lose `__proto__`.
    return Object.fromEntries([...needed, ...more].map((key) => [key, this.#under(key, depth)]));
  }

  #under(key: string, depth: number): unknown {
    const likely = Object.hasOwn(LIKELY, key) ? LIKELY[key] : undefined;
    return likely && this.#number() < 0.8 ? this.#oneOf(likely) : this.value(depth + 1);
  }

  #below(limit: number): number {
    return Math.floor(this.#number() * limit);
  }

  #oneOf<Element>(list: readonly Element[]): Element {
    return list[this.#below(list.length)] as Element;
  }
}
