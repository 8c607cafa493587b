import type { JsonSchema } from "./draft-07.ts";

/** What is used of a TypeScript checker's answers, by shape: each project brings its own compiler. */
export type CheckedType = {
  readonly flags: number;
  readonly value?: unknown;
  isUnionType(): boolean;
  getTypes?(): Promise<readonly CheckedType[]>;
};
type CheckedSymbol = { readonly name: string; readonly flags: number };
/** Only ever handed back. */
type CheckedSignature = object;
export type Checker = {
  getTypeOfSymbol(symbol: CheckedSymbol): Promise<CheckedType | undefined>;
  getPropertiesOfType(type: CheckedType): Promise<readonly CheckedSymbol[]>;
  getSignaturesOfType(type: CheckedType, kind: number): Promise<readonly CheckedSignature[]>;
  getReturnTypeOfSignature(signature: CheckedSignature): Promise<CheckedType | undefined>;
  getIndexInfosOfType(type: CheckedType): Promise<readonly { valueType?: CheckedType }[]>;
  isArrayType(type: CheckedType): Promise<boolean>;
  isTupleType(type: CheckedType): Promise<boolean>;
};

/** The compiler's own numbers, which another version may count otherwise. */
export type CompilerFlags = {
  TypeFlags: Record<string, number>;
  SymbolFlags: Record<string, number>;
  SignatureKind: Record<string, number>;
};

const DEEPEST = 6;
const MOST_PROPERTIES = 100;
/** Where LangGraph's classes keep a graph's state for the compiler: its newer versions, and those before 0.4. */
const STATE_OF_GRAPH = ["~RunOutput", "RunOutput"];

/** Describes types as JSON schemas. What JSON does not have, or nobody can say, takes anything: `{}`. */
export class TypeSchemas {
  constructor(
    private readonly checker: Checker,
    private readonly flags: CompilerFlags,
  ) {}

  /** The properties of an object type, each by itself. */
  async properties(type: CheckedType): Promise<Record<string, JsonSchema>> {
    const found: Record<string, JsonSchema> = {};
    for (const symbol of await this.checker.getPropertiesOfType(type)) {
      const inner = await this.checker.getTypeOfSymbol(symbol);
      if (inner) found[symbol.name] = await this.#describe(inner, DEEPEST);
    }
    return found;
  }

  /** What the channels of a compiled graph hold, or of the graph that a function makes; null for anything else. */
  async channels(type: CheckedType | undefined): Promise<Record<string, JsonSchema> | null> {
    if (!type) return null;
    const state = (await this.#stateOf(type)) ?? (await this.#stateOf(await this.#returned(type)));
    return state ? this.properties(state) : null;
  }

  async #stateOf(type: CheckedType | undefined): Promise<CheckedType | undefined> {
    if (!type) return undefined;
    const symbols = await this.checker.getPropertiesOfType(type);
    if (!symbols.some(({ name }) => name === "lg_is_pregel" || name === "streamChannelsAsIs"))
      return undefined;
    const declared = STATE_OF_GRAPH.flatMap((wanted) => symbols.filter(({ name }) => name === wanted));
    return declared[0] && this.checker.getTypeOfSymbol(declared[0]);
  }

  async #returned(type: CheckedType): Promise<CheckedType | undefined> {
    const [signature] = await this.checker.getSignaturesOfType(type, this.flags.SignatureKind.Call ?? 0);
    return signature && this.checker.getReturnTypeOfSignature(signature);
  }

  async #describe(type: CheckedType, depth: number): Promise<JsonSchema> {
    const simple = this.#simple(type);
    if (simple) return simple;
    if (depth === 0) return {};
    if (type.isUnionType()) return this.#union((await type.getTypes?.()) ?? [], depth);
    const { Object: object = 0, Intersection: both = 0 } = this.flags.TypeFlags;
    return type.flags & (object | both) ? this.#object(type, depth) : {};
  }

  #simple({ flags, value }: CheckedType): JsonSchema | undefined {
    const is = (...names: string[]) => names.some((name) => flags & (this.flags.TypeFlags[name] ?? 0));
    if (is("StringLiteral", "NumberLiteral", "BooleanLiteral") && !is("Union"))
      return { type: typeof value, const: value };
    if (is("String")) return { type: "string" };
    if (is("Number")) return { type: "number" };
    if (is("Boolean")) return { type: "boolean" };
    if (is("Null")) return { type: "null" };
    return undefined;
  }

  async #union(types: readonly CheckedType[], depth: number): Promise<JsonSchema> {
    const { Undefined: missing = 0 } = this.flags.TypeFlags;
    const present = types.filter(({ flags }) => !(flags & missing));
    const members = await Promise.all(present.map((type) => this.#describe(type, depth)));
    if (members.some((member) => Object.keys(member).length === 0)) return {};
    const [only] = members;
    if (only && members.length === 1) return only;
    if (isBoolean(members)) return { type: "boolean" };
    if (members.every((member) => "const" in member)) return choice(members);
    return { anyOf: members };
  }

  async #object(type: CheckedType, depth: number): Promise<JsonSchema> {
    if (await this.checker.isTupleType(type)) return { type: "array" };
    const [index] = await this.checker.getIndexInfosOfType(type);
    const items = index?.valueType ? await this.#describe(index.valueType, depth - 1) : {};
    if (await this.checker.isArrayType(type)) return { type: "array", items };
    const symbols = await this.checker.getPropertiesOfType(type);
    if (symbols.length > MOST_PROPERTIES || (await this.#isCalled(type))) return {};
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const symbol of symbols) {
      const inner = await this.checker.getTypeOfSymbol(symbol);
      // Whoever has methods is an instance of something, which JSON cannot hold.
      if (!inner || (await this.#isCalled(inner))) return {};
      properties[symbol.name] = await this.#describe(inner, depth - 1);
      if (!(symbol.flags & (this.flags.SymbolFlags.Optional ?? 0))) required.push(symbol.name);
    }
    const more = index ? { additionalProperties: items } : {};
    return { type: "object", properties, ...(required.length > 0 && { required }), ...more };
  }

  async #isCalled(type: CheckedType): Promise<boolean> {
    const { Call: call = 0 } = this.flags.SignatureKind;
    return (await this.checker.getSignaturesOfType(type, call)).length > 0;
  }
}

/** In an order of its own: the compiler's is that in which it happened to meet the literals. */
function choice(members: JsonSchema[]): JsonSchema {
  const types = [...new Set(members.map(({ type }) => type))].sort();
  const values = members.map((member) => member.const).sort();
  return { type: types.length === 1 ? types[0] : types, enum: values };
}

function isBoolean(members: JsonSchema[]): boolean {
  return members.length === 2 && members.every((member) => typeof member.const === "boolean");
}
