import type { LangGraphCopy } from "../project/index.ts";
import { isRecord } from "../record.ts";
import { fairTurns } from "./fair-turns.ts";

type Handler = object & { lc_prefer_streaming?: boolean };
type Manager = { handlers: Handler[]; addHandler(handler: Handler, inherit: boolean): void };

const asked = new WeakSet<object>();

/**
 * Makes chat models stream in runs, whoever reads them, as on the official server. Some services refuse long answers
 * in one piece, and a model may answer otherwise when it streams.
 *
 * Models, tools and retrievers, and nothing else, ask `CallbackManager.configure` for whom to tell. A model gets
 * somebody there who prefers tokens: a handler for the whole run would double what each node costs.
 */
export function streamModels(CallbackManager: LangGraphCopy["CallbackManager"]): void {
  if (!CallbackManager || asked.has(CallbackManager)) return;
  asked.add(CallbackManager);
  const streaming = { ...fairTurns(), name: "streamed-models", lc_prefer_streaming: true };
  const [handler] = CallbackManager.fromHandlers(streaming).handlers as Handler[];
  const { configure } = CallbackManager;
  if (!handler || typeof configure !== "function") return;
  const add = (manager: Manager): Manager => {
    if (!manager.handlers.some(prefersTokens)) manager.addHandler(handler, false);
    return manager;
  };
  CallbackManager.configure = function (this: typeof CallbackManager, ...args: Parameters<typeof configure>) {
    const manager: unknown = configure.apply(this, args);
    if (!isModelOfRun(args[4])) return manager;
    // Early copies give a promise.
    if (manager instanceof Promise) return manager.then((made) => add(made ?? new this()));
    return add((manager ?? new this()) as Manager);
  } as typeof configure;
}

const prefersTokens = (handler: Handler): boolean =>
  "lc_prefer_streaming" in handler && handler.lc_prefer_streaming === true;

/** By the metadata of the call: those of its run come down to it, as the run's callbacks would. */
function isModelOfRun(metadata: unknown): boolean {
  return isRecord(metadata) && metadata.ls_model_type === "chat" && metadata.run_attempt !== undefined;
}
