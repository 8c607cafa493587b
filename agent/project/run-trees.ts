type Config = { callbacks?: unknown };
type Tree = { extra: object; child_runs: unknown[] };

/** What we rely on of LangChain's `AsyncLocalStorageProviderSingleton` (core 1.x). */
type Provider = {
  getInstance(): { getStore(): unknown; run<T>(store: unknown, body: () => T): T };
  getRunnableConfig(): unknown;
  runWithConfig<T>(config: Config | undefined, body: () => T, withoutTree?: boolean): T;
};

const CONFIG = Symbol.for("lc:child_config");
const VARIABLES = Symbol.for("lc:context_variables");
const mended = new WeakSet<object>();

/**
 * Makes LangChain's call contexts cheap. Around each node and each edge it puts a new tree of LangSmith's that traces
 * nothing: all it does is hold the config. Making them is a tenth of what a run of short nodes costs; a copy of one does
 * the same. With callbacks, LangSmith's among them, everything stays as it is. A manager of callbacks that has nobody to
 * tell is none: what traces notice of calls (`traces/call-spans.ts`) makes those.
 *
 * A core that is built differently is left alone.
 */
export function mendRunTrees(provider: object | undefined): void {
  if (!isAsExpected(provider) || mended.has(provider)) return;
  mended.add(provider);
  const whole = provider.runWithConfig;
  let blank: Tree | undefined;
  provider.runWithConfig = function <T>(
    this: Provider,
    config: Config | undefined,
    body: () => T,
    withoutTree?: boolean,
  ): T {
    const storage = this.getInstance();
    const isPlain = !isTold(config?.callbacks) && !withoutTree && !hasVariables(storage.getStore());
    if (isPlain) blank ??= blankTree(this, whole);
    if (!isPlain || !blank) return whole.call(this, config, body, withoutTree) as T;
    const tree = Object.assign(Object.create(Object.getPrototypeOf(blank)), blank);
    tree.child_runs = [];
    tree.extra = { ...blank.extra, [CONFIG]: config };
    return storage.run(tree, body);
  };
}

/** The tree that LangChain makes; undefined where it makes another thing of it, or none. */
function blankTree(provider: Provider, whole: Provider["runWithConfig"]): Tree | undefined {
  const config = {};
  const [tree, kept] = whole.call(provider, config, () => [
    provider.getInstance().getStore(),
    provider.getRunnableConfig(),
  ]) as [unknown, unknown];
  return kept === config && isBlank(tree) ? tree : undefined;
}

function isBlank(tree: unknown): tree is Tree {
  if (typeof tree !== "object" || tree === null) return false;
  const { tracingEnabled, child_runs, extra } = tree as Record<string, unknown>;
  return tracingEnabled === false && Array.isArray(child_runs) && typeof extra === "object" && extra !== null;
}

/** Whether somebody is told. */
function isTold(callbacks: unknown): boolean {
  if (callbacks === undefined) return false;
  const { handlers } = (callbacks ?? {}) as { handlers?: unknown };
  return !Array.isArray(handlers) || handlers.length > 0;
}

const hasVariables = (store: unknown): boolean =>
  typeof store === "object" && store !== null && VARIABLES in store;

function isAsExpected(provider: object | undefined): provider is Provider {
  return (
    provider !== undefined &&
    ["getInstance", "getRunnableConfig", "runWithConfig"].every(
      (name) => typeof (provider as Record<string, unknown>)[name] === "function",
    )
  );
}
