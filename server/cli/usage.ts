import { styleText } from "node:util";
import { type ArgDef, type ArgsDef, type CommandDef, defineCommand, type Resolvable } from "citty";
import { distance } from "../settings/index.ts";
import { placeName } from "./arguments.ts";

type Row = [label: string, description: string];

/** What a command takes, in words. */
export type CommandUsage = {
  /** `berth deploy list`. */
  path: string;
  description: string;
  /** How it is called; one that only has commands below is not called by itself. */
  forms: string[];
  commands: Row[];
  places: Row[];
  options: Row[];
};

/** Shows what the command takes that these words begin with. */
export async function showUsage(root: CommandDef, given: string[]): Promise<void> {
  const words = await wordsTo(root, given);
  const { path, description, forms, commands, places, options } = await usageOf(root, words);
  const version = words.length === 0 ? ` (version ${(await resolved(root.meta))?.version})` : "";
  const text = [
    `${description}${version}`,
    ...block(
      "Usage",
      forms.map((form) => `  ${form}`),
    ),
    ...block("Commands", columns(commands)),
    ...block("Arguments", columns(places)),
    ...block("Options", columns(options)),
    ...(commands.length > 0 ? ["", `"${path} <command> --help" shows what a command takes.`] : []),
  ];
  process.stdout.write(`${text.join("\n")}\n`);
}

/**
 * What the command takes that these words lead to, from the root's own on.
 * @param words `["deploy", "list"]`
 */
export async function usageOf(root: CommandDef, words: readonly string[]): Promise<CommandUsage> {
  let command: CommandDef = root;
  for (const word of words) command = (await below(command, word)) ?? command;
  const args: ArgsDef = (await resolved<ArgsDef | undefined>(command.args)) ?? {};
  const commands = await commandRows(command.subCommands);
  const places = Object.entries(args).filter(([, arg]) => arg.type === "positional");
  const options = Object.entries(args).filter(([, arg]) => arg.type !== "positional");
  const path = [(await resolved(root.meta))?.name ?? "", ...words].join(" ");
  const isCalled = options.length + places.length > 0 || commands.length === 0;
  const shown = places.map(([name, arg]) => placeOf(name, arg));
  return {
    path,
    description: (await resolved(command.meta))?.description ?? "",
    forms: [
      ...(isCalled ? [[path, ...shown, ...(options.length > 0 ? ["[options]"] : [])].join(" ")] : []),
      ...(commands.length > 0 ? [`${path} <command>`] : []),
    ],
    commands,
    places: places.map(([name, arg]) => [placeOf(name, arg), arg.description ?? ""]),
    options: options.flatMap(([name, arg]) => optionRows(name, arg)),
  };
}

/** The command that has this name below another one. */
async function below(command: CommandDef, word: string): Promise<CommandDef | undefined> {
  const subCommands: Record<string, Resolvable<CommandDef>> = (await resolved(command.subCommands)) ?? {};
  return Object.hasOwn(subCommands, word) ? resolved(subCommands[word]) : undefined;
}

async function wordsTo(root: CommandDef, given: string[]): Promise<string[]> {
  const words: string[] = [];
  let command: CommandDef | undefined = root;
  for (const word of given) {
    command = await below(command, word);
    if (command === undefined) return words;
    words.push(word);
  }
  return words;
}

/** The commands below another one, but for those that only Berth itself calls. */
async function commandRows(subCommands: CommandDef["subCommands"]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, subCommand] of Object.entries((await resolved(subCommands)) ?? {})) {
    const meta = await resolved((await resolved(subCommand)).meta);
    if (!meta?.hidden) rows.push([name, meta?.description ?? ""]);
  }
  return rows;
}

function placeOf(name: string, arg: ArgDef): string {
  const shown = placeName(name, arg);
  return arg.required === false || arg.default !== undefined ? `[${shown}]` : shown;
}

/** A switch that is on by default is shown by what turns it off. */
function optionRows(name: string, arg: ArgDef): Row[] {
  if (arg.type === "boolean" && arg.default === true && arg.negativeDescription)
    return [[`    --no-${name}`, arg.negativeDescription]];
  const [short] = "alias" in arg ? [arg.alias].flat() : [];
  const value = arg.type === "string" ? `=${arg.valueHint ?? "VALUE"}` : "";
  const usual = arg.default === undefined || arg.default === "" ? "" : ` (default ${arg.default})`;
  return [[`${short ? `-${short}, ` : "    "}--${name}${value}`, `${arg.description ?? ""}${usual}`]];
}

function columns(rows: Row[]): string[] {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return rows.map(([label, description]) => `  ${label.padEnd(width)}  ${description}`.trimEnd());
}

function block(head: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ["", styleText("bold", `${head}:`, { stream: process.stdout }), ...lines];
}

async function resolved<T>(value: Resolvable<T>): Promise<T> {
  return value instanceof Function ? value() : value;
}

/** `berth help deploy list` is `berth deploy list --help`. */
export const helpOn = (root: CommandDef) =>
  defineCommand({
    meta: { name: "help", description: "Show every command, or the options of one" },
    args: { command: { type: "positional", required: false, description: "The words of the command" } },
    run: ({ rawArgs }) => showUsage(root, rawArgs),
  });

/** There is no such command; the message is two lines. */
export class UnknownCommand extends Error {
  override name = "UnknownCommand";
}

/** Two letters may be wrong, and not most of a short word. */
const MOST_WRONG = 2;

/**
 * Refuses words that name no command, with the one that they resemble. Those that are called by themselves and have
 * others below them, as `deploy`, look at their words in `setup`.
 * @throws UnknownCommand
 */
export async function checkCommands(root: CommandDef, words: readonly string[]): Promise<void> {
  let command = root;
  let path = "berth";
  for (const word of words) {
    if (word.startsWith("-")) return;
    const next = await below(command, word);
    if (next === undefined) {
      if (command.setup || command.subCommands === undefined) return;
      const names = (await commandRows(command.subCommands)).map(([name]) => name);
      throw new UnknownCommand(wordsOn(path, word, names));
    }
    command = next;
    path = `${path} ${word}`;
  }
}

function wordsOn(path: string, word: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, wrong: distance(word, name) }))
    .filter(({ name, wrong }) => wrong <= Math.min(MOST_WRONG, name.length / 2))
    .sort((one, other) => one.wrong - other.wrong)[0];
  const meant = near === undefined ? "" : ` Did you mean "${path} ${near.name}"?`;
  const help = path === "berth" ? "berth help" : `berth help ${path.slice("berth ".length)}`;
  return `there is no command "${path} ${word}".${meant}\n"${help}" shows the commands that there are.`;
}
