import { berth } from "../../server/cli/berth.ts";
import { type CommandUsage, usageOf } from "../../server/cli/usage.ts";
import { anchorOf, code, fence, made, page, table } from "./markdown.ts";

const HEAD = `# The command line

After this page you know every command and its options. \`berth\` is the executable (\`npx --yes bun@1.4.5 run build\` makes \`dist/berth\`). In a clone of the repository, type \`npx --yes bun@1.4.5 run berth …\` instead. \`--help\` after any command shows what this page says of it, and so does \`berth help\` before it. \`berth --version\` shows the version.

Your shell can complete the words of commands: bash (\`eval "$(berth completion bash)"\` in \`~/.bashrc\`), zsh (\`source <(berth completion zsh)\` in \`~/.zshrc\`, after \`compinit\`) and fish (\`berth completion fish > ~/.config/fish/completions/berth.fish\`).`;

const TAIL = `## Exit codes

A command ends with 0 if it worked, and with 1 if it did not; then one line on stderr says why. [\`berth deploy\`](deploy.md#exit-codes) has more exit codes. Ctrl-C or SIGTERM ends a server gracefully; a second one ends it at once. [SIGTERM leaves deployed agents running](operations.md#stopping).`;

/** `docs/cli.md`: every command that `--help` shows, with everything that it takes. */
export async function commandsPage(): Promise<string> {
  const all = await everyCommand();
  const index = all.map(({ path, description }) => [`[${code(path)}](#${anchorOf(path)})`, description]);
  return page(
    HEAD,
    made("the commands of `server/cli`"),
    table(["Command", "Does"], index),
    ...all.map(section),
    TAIL,
  );
}

/** All commands that one can call, those that are below others behind them. */
export async function everyCommand(words: readonly string[] = []): Promise<CommandUsage[]> {
  const usage = await usageOf(berth, words);
  const below = await Promise.all(usage.commands.map(([word]) => everyCommand([...words, word])));
  // The root is not called by itself, nor is a word that only leads on.
  const isCalled = words.length > 0 && usage.forms.some((form) => !form.endsWith("<command>"));
  return [...(isCalled ? [usage] : []), ...below.flat()];
}

function section({ path, description, forms, places, options }: CommandUsage): string {
  const form = forms.find((text) => !text.endsWith("<command>")) ?? path;
  const rows = [...places, ...options].map(([label, means]) => [code(label.trim()), means]);
  return page(
    `## ${path}`,
    `${description}.`,
    fence("text", form),
    rows.length > 0 ? table(["Takes", "Meaning"], rows) : undefined,
  ).trimEnd();
}
