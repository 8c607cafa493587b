// A program of its own, which Berth writes beside the probe and runs: TypeScript 5 and 6 work inside the process that
// asks them, for seconds. `older-compiler.ts TYPESCRIPT SETTINGS PROBE WANTED` prints the types as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type CheckedType, type Checker, type CompilerFlags, TypeSchemas } from "./type-schema.ts";

/** What is used of such a compiler, by shape. */
type OldType = {
  flags: number;
  value?: unknown;
  intrinsicName?: string;
  types?: OldType[];
  isUnion(): boolean;
};
type OldSymbol = { name: string; flags: number };
type OldNode = { getStart(): number; end: number };
type OldSource = OldNode & { statements: { declarationList?: { declarations: Declaration[] } }[] };
type OldChecker = {
  getTypeOfSymbol(symbol: OldSymbol): OldType;
  getTypeAtLocation(node: unknown): OldType;
  getPropertiesOfType(type: OldType): OldSymbol[];
  getSignaturesOfType(type: OldType, kind: number): object[];
  getReturnTypeOfSignature(signature: object): OldType;
  getIndexInfosOfType(type: OldType): { type: OldType }[];
  isArrayType(type: OldType): boolean;
  isTupleType(type: OldType): boolean;
};
type Declaration = { name: { text?: string } };
type OldCompiler = CompilerFlags & {
  sys: unknown;
  getParsedCommandLineOfConfigFile(
    file: string,
    more: object,
    host: object,
  ): { fileNames: string[]; options: object };
  createProgram(
    files: string[],
    options: object,
  ): {
    getTypeChecker(): OldChecker;
    getSourceFile(file: string): OldSource | undefined;
  };
  /** The first that is found by `look` among the parts of a node. */
  forEachChild<T>(node: OldNode, look: (part: OldNode) => T | undefined): T | undefined;
};

const [typescript = "", settings = "", probe = "", wanted = ""] = process.argv.slice(2);
const { names, places }: { names: string[]; places: { file: string; at: number }[] } = JSON.parse(
  readFileSync(wanted, "utf8"),
);
// Whoever asked is gone when the input ends.
process.stdin.on("end", () => process.exit(1)).resume();
const { default: compiler }: { default: OldCompiler } = await import(pathToFileURL(typescript).href);
const host = Object.assign({}, compiler.sys, { onUnRecoverableConfigFileDiagnostic: () => undefined });
const { fileNames, options } = compiler.getParsedCommandLineOfConfigFile(settings, {}, host);
const program = compiler.createProgram(fileNames, options);
const old = program.getTypeChecker();
const schemas = new TypeSchemas(checkerOf(old), compiler);
const declared: Record<string, unknown> = {};
for (const { declarationList } of program.getSourceFile(probe)?.statements ?? [])
  for (const declaration of declarationList?.declarations ?? []) {
    const name = declaration.name.text ?? "";
    if (names.includes(name))
      declared[name] = await schemas.properties(asNew(old.getTypeAtLocation(declaration)));
  }
const states: unknown[] = [];
for (const { file, at } of places) {
  const node = nodeAt(program.getSourceFile(file), at);
  states.push(node ? await schemas.channels(asNew(old.getTypeAtLocation(node))) : null);
}
process.stdout.write(JSON.stringify({ declared, places: states }), () => process.exit(0));

/** The smallest part of a source that begins at a position or holds it. */
function nodeAt(node: OldNode | undefined, at: number): OldNode | undefined {
  if (!node || node.getStart() > at || node.end <= at) return undefined;
  return compiler.forEachChild(node, (part) => nodeAt(part, at)) ?? node;
}

type Wrapped = CheckedType & { old: OldType };

function asNew(type: OldType): Wrapped {
  const isBoolean = type.intrinsicName === "true" || type.intrinsicName === "false";
  return {
    old: type,
    flags: type.flags,
    value: isBoolean ? type.intrinsicName === "true" : type.value,
    isUnionType: () => type.isUnion(),
    getTypes: async () => (type.types ?? []).map(asNew),
  };
}

/** The compiler's answers in the form of TypeScript 7's. */
function checkerOf(checker: OldChecker): Checker {
  const oldOf = (type: CheckedType) => (type as Wrapped).old;
  return {
    getTypeOfSymbol: async (symbol) => asNew(checker.getTypeOfSymbol(symbol)),
    getPropertiesOfType: async (type) => checker.getPropertiesOfType(oldOf(type)),
    getSignaturesOfType: async (type, kind) => checker.getSignaturesOfType(oldOf(type), kind),
    getReturnTypeOfSignature: async (signature) => asNew(checker.getReturnTypeOfSignature(signature)),
    getIndexInfosOfType: async (type) =>
      checker.getIndexInfosOfType(oldOf(type)).map((info) => ({ valueType: asNew(info.type) })),
    isArrayType: async (type) => checker.isArrayType(oldOf(type)),
    isTupleType: async (type) => checker.isTupleType(oldOf(type)),
  };
}
