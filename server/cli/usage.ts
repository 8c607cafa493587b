import { styleText } from "node:util";
import type { ArgDef, ArgsDef, CommandDef, Resolvable } from "citty";

type Row = [label: string, description: string];

/**
 * Shows what a command takes. Its name is found by the words that led to it: citty hands over the command
 * without the way.
 */
export function usageFor(root: CommandDef): <T extends ArgsDef>(command: CommandDef<T>) => Promise<void> {
  return async (command) => {
    const words = await wordsTo(root, process.argv.slice(2));
    const args: ArgsDef = (await resolved<ArgsDef | undefined>(command.args)) ?? {};
    const meta = await resolved(command.meta);
    const commands = await commandRows(command.subCommands);
    const places = Object.entries(args).filter(([, arg]) => arg.type === "positional");
    const options = Object.entries(args).filter(([, arg]) => arg.type !== "positional");
    const path = [(await resolved(root.meta))?.name ?? "", ...words].join(" ");
    const shownPlaces = places.map(([name, arg]) => placeOf(name, arg));
    const isCalled = options.length + places.length > 0 || commands.length === 0;
    const forms = [
      ...(isCalled ? [[path, ...shownPlaces, ...(options.length > 0 ? ["[options]"] : [])].join(" ")] : []),
      ...(commands.length > 0 ? [`${path} <command>`] : []),
    ];
    const version = words.length === 0 && meta?.version ? ` (version ${meta.version})` : "";
    const text = [
      `${meta?.description ?? ""}${version}`,
      ...block(
        "Usage",
        forms.map((form) => `  ${form}`),
      ),
      ...block("Commands", columns(commands)),
      ...block(
        "Arguments",
        columns(places.map(([name, arg]) => [placeOf(name, arg), arg.description ?? ""])),
      ),
      ...block("Options", columns(options.flatMap(([name, arg]) => optionRows(name, arg)))),
      ...(commands.length > 0 ? ["", `"${path} <command> --help" shows what a command takes.`] : []),
    ];
    process.stdout.write(`${text.join("\n")}\n`);
  };
}

async function wordsTo(root: CommandDef, given: string[]): Promise<string[]> {
  const words: string[] = [];
  let command: CommandDef | undefined = root;
  for (const word of given) {
    const subCommands: Record<string, Resolvable<CommandDef>> = (await resolved(command.subCommands)) ?? {};
    command = Object.hasOwn(subCommands, word) ? await resolved(subCommands[word]) : undefined;
    if (command === undefined) return words;
    words.push(word);
  }
  return words;
}

async function commandRows(subCommands: CommandDef["subCommands"]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, subCommand] of Object.entries((await resolved(subCommands)) ?? {})) {
    const meta = await resolved((await resolved(subCommand)).meta);
    if (!meta?.hidden) rows.push([name, meta?.description ?? ""]);
  }
  return rows;
}

function placeOf(name: string, arg: ArgDef): string {
  const shown = (("valueHint" in arg && arg.valueHint) || name).toUpperCase();
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
