import type { TemplateName } from "@berth/agent";

/**
 * The templates, for the help of the commands. To ask `@berth/agent`, which knows them, every command would have to load it.
 */
export const builtIn = Object.keys({
  chat: true,
  "deep-agent": true,
  approval: true,
} satisfies Record<TemplateName, true>);

/** Those that only `berth new` makes. */
export const inPython = ["python-chat", "python-deep-agent", "python-approval"];
