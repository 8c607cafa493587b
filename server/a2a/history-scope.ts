import { isValues } from "./parts.ts";

/** Which messages a task shows: all of its context up to its end, or those from its own first one on. */
export type HistoryScope = "context" | "task";

/** Names what the scope is in a card; an extension of the protocol by LangChain. */
export const HISTORY_SCOPE = {
  uri: "https://langchain.com/a2a/extensions/history-scope/v1",
  description: "`historyScope`: `context` or `task`, for which messages a task's history holds",
  required: false,
};

/**
 * The scope that a request asks for, in its parameters or else in a header; undefined when it is none, or when it is
 * misspelt: whoever asks for less must not be told more.
 */
export function historyScopeOf(params: unknown, headers: Headers): HistoryScope | undefined {
  const given = isValues(params) ? params : {};
  const configuration = isValues(given.configuration) ? given.configuration : {};
  if ([given, configuration].some((one) => Object.keys(one).some(isMisspelt))) return undefined;
  const scope =
    scopeIn(configuration) ?? scopeIn(given) ?? headers.get("langgraph-a2a-history-scope") ?? "context";
  return scope === "context" || scope === "task" ? scope : undefined;
}

/** As every parameter, also in snake case. */
const scopeIn = ({ historyScope, history_scope }: Record<string, unknown>): unknown =>
  historyScope ?? history_scope;

const isMisspelt = (key: string): boolean =>
  /^history[_-]?scope$/i.test(key) && key !== "historyScope" && key !== "history_scope";
