import type { Outlet } from "./event.ts";

type Status = "started" | "completed" | "failed" | "interrupted";
type Namespace = { path: readonly string[]; graphName: string; status: Status };
/** `node`: its parent reported an update of that node; the report of the task itself is more exact. */
type Completion = { key: string; node?: string; parent: string };

const keyOf = (path: readonly string[]) => path.join("|");

/**
 * What is going on inside a run: each namespace starts when something is first seen in it, and completes behind
 * what its parent says of it (`streaming-protocol.md` §3.5).
 */
export class Namespaces {
  readonly #known = new Map<string, Namespace>();
  readonly #names = new Map<string, string>();
  readonly #calls = new Map<string, string>();
  #completing: Completion[] = [];

  /** Starts what an event in `path` shows to be running, the outermost first. */
  start(path: readonly string[], outlet: Outlet): void {
    for (let length = 1; length <= path.length; length += 1) {
      const prefix = path.slice(0, length);
      const key = keyOf(prefix);
      if (this.#known.has(key)) continue;
      const last = prefix.at(-1) ?? "";
      const graphName = this.#names.get(key) ?? last.split(":", 1)[0] ?? last;
      this.#known.set(key, { path: prefix, graphName, status: "started" });
      const cause = this.#cause(key, last);
      say(outlet, prefix, { event: "started", graph_name: graphName, ...(cause && { cause }) });
    }
  }

  /** Says that those are complete whose parents have said their last about them. */
  flush(outlet: Outlet): void {
    const due = this.#completing;
    if (due.length === 0) return;
    this.#completing = [];
    for (const { key } of due) this.#settle(key, "completed", outlet);
  }

  /** The parent reported an update of a node: one of its tasks is about to be complete. */
  updated(parent: readonly string[], node: string): void {
    if (node.startsWith("__")) return;
    for (const [key, { path, status }] of this.#known) {
      const last = path.at(-1) ?? "";
      const isChild = path.length === parent.length + 1 && keyOf(path.slice(0, -1)) === keyOf(parent);
      if (isChild && status === "started" && last.split(":", 1)[0] === node) {
        this.#complete({ key, node, parent: keyOf(parent) });
        return;
      }
    }
  }

  /** The parent is about to report the result of a task, of which an update of its node was a sign. */
  expect(parent: readonly string[], node: string): void {
    this.#completing = this.#completing.filter(
      (other) => other.node !== node || other.parent !== keyOf(parent),
    );
  }

  /** The parent reported the result of a task; returns the task's namespace. */
  ended(parent: readonly string[], task: { id: string; name: string }): string[] {
    const path = [...parent, `${task.name}:${task.id}`];
    if (this.#known.get(keyOf(path))?.status === "started") {
      this.#complete({ key: keyOf(path), parent: keyOf(parent) });
    }
    return path;
  }

  /** Learns from the start of a task which tool call caused it, and as which agent it runs. */
  learn(inside: readonly string[], task: { id: string; input?: unknown; metadata?: unknown }): void {
    const name = (task.metadata as { lc_agent_name?: unknown } | undefined)?.lc_agent_name;
    const key = keyOf(inside);
    if (typeof name === "string" && name !== "" && inside.length > 0 && !this.#names.has(key)) {
      this.#names.set(key, name);
    }
    const call = (task.input as { tool_call?: { id?: unknown } } | undefined)?.tool_call?.id;
    if (typeof call === "string") this.#calls.set(task.id, call);
  }

  /** The run is over, and with it whatever still went on inside. */
  end(status: Exclude<Status, "started">, outlet: Outlet): void {
    this.flush(outlet);
    for (const key of this.#known.keys()) this.#settle(key, status, outlet);
  }

  #complete(completion: Completion): void {
    if (!this.#completing.some(({ key }) => key === completion.key)) this.#completing.push(completion);
  }

  #settle(key: string, status: Status, outlet: Outlet): void {
    const namespace = this.#known.get(key);
    if (namespace?.status !== "started") return;
    namespace.status = status;
    say(outlet, namespace.path, { event: status, graph_name: namespace.graphName });
  }

  #cause(key: string, segment: string): { type: string; tool_call_id: string } | undefined {
    const call = this.#calls.get(segment.slice(segment.indexOf(":") + 1));
    return this.#names.has(key) && call ? { type: "toolCall", tool_call_id: call } : undefined;
  }
}

function say(outlet: Outlet, namespace: readonly string[], data: Record<string, unknown>): void {
  outlet.say({ method: "lifecycle", namespace, data: JSON.stringify(data) });
}
