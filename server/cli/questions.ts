/** Asks a person at the terminal; the prompts are loaded when there is something to ask. */
export type Questions = {
  secret(message: string): Promise<string>;
  text(message: string, initial?: string): Promise<string>;
  /** Enter means no. */
  confirm(message: string): Promise<boolean>;
  choose<T extends string>(message: string, options: { value: T; hint: string }[]): Promise<T>;
};

/** The person pressed Ctrl-C or Escape instead of answering. */
export class Cancelled extends Error {
  override name = "Cancelled";
  override message = "Aborted!";
}

/** Undefined where nobody can be asked: in a script, a pipe or a CI job. */
export function questionsAtTerminal(): Questions | undefined {
  return process.stdin.isTTY && process.stdout.isTTY ? atTerminal : undefined;
}

const atTerminal: Questions = {
  secret: async (message) => {
    const { password } = await import("@clack/prompts");
    return orCancelled(await password({ message })).trim();
  },
  text: async (message, initial = "") => {
    const { text } = await import("@clack/prompts");
    const given = await text({ message, placeholder: initial, defaultValue: initial });
    return orCancelled(given).trim();
  },
  confirm: async (message) => {
    const { confirm } = await import("@clack/prompts");
    return orCancelled(await confirm({ message, initialValue: false }));
  },
  choose: async <T extends string>(message: string, options: { value: T; hint: string }[]) => {
    const { select } = await import("@clack/prompts");
    const listed = options.map(({ value, hint }) => ({ value, label: value as string, hint }));
    const chosen = orCancelled(await select<string>({ message, options: listed }));
    const option = options.find(({ value }) => value === chosen);
    if (option === undefined) throw new Cancelled();
    return option.value;
  },
};

function orCancelled<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === "symbol") throw new Cancelled();
  return answer as Exclude<T, symbol>;
}
