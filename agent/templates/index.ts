import approval from "./approval/graph.json";
import chat from "./chat/graph.json";
import deepAgent from "./deep-agent/graph.json";
import { readTemplates } from "./files.ts" with { type: "macro" };

/** One graph of a template; `load` imports it and gives what its project exports as the graph. */
export type TemplateGraph = { description: string; load(): Promise<unknown> };
export type Template = { graphs: Record<string, TemplateGraph> };

const texts = readTemplates();

/**
 * The built-in projects by name. The specifiers are literal, so that a compiled binary carries the
 * graphs; nothing of a template is imported before its `load` is called.
 */
export const templates = {
  chat: {
    graphs: {
      chat: { ...about(chat.graphs.chat), load: async () => (await import("./chat/agent.ts")).graph },
    },
  },
  "deep-agent": {
    graphs: {
      "deep-agent": {
        ...about(deepAgent.graphs["deep-agent"]),
        load: async () => (await import("./deep-agent/agent.ts")).graph,
      },
    },
  },
  approval: {
    graphs: {
      approval: {
        ...about(approval.graphs.approval),
        load: async () => (await import("./approval/agent.ts")).graph,
      },
    },
  },
} satisfies Record<string, Template>;

export type TemplateName = keyof typeof templates;

/** Whether there is a built-in template of that name. */
export function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name);
}

/** The projects that can be begun, by name, each with its description: the built-in ones, and those in Python. */
export function beginnings(): Record<string, string> {
  const others = Object.keys(texts).filter((name) => !isTemplate(name));
  const names = [...Object.keys(templates), ...others.sort()];
  return Object.fromEntries(names.map((name) => [name, descriptionIn(texts[name]?.["graph.json"])]));
}

function descriptionIn(config = "{}"): string {
  const { graphs = {} }: { graphs?: Record<string, { description?: string }> } = JSON.parse(config);
  return Object.values(graphs)[0]?.description ?? "";
}

/** The text of each file of a project that can be begun, by its path in the project, for copying it out. */
export function files(name: string): Record<string, string> {
  return { ...texts[name] };
}

function about({ description }: { description: string }) {
  return { description };
}
