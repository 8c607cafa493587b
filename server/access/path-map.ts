import { isLenient, type Policy } from "./policy.ts";

/** Where a request came to: read once from its path, and all that anybody needs to know of the path. */
export type Place<Target = unknown> = {
  /** The operation, where the path and the method have one. */
  readonly target: Target | undefined;
  /** Who may call, and how; also where there is no operation. */
  readonly policy: Policy;
  /** The path's parameters as they stand in it. */
  readonly params: Readonly<Record<string, string>>;
  /** Methods that the path answers to; empty where no operation has it. */
  readonly methods: readonly string[];
};

/** Any method: where another process decides which there are. */
export const ANY = "ANY";

/** What stands at a path. */
type Entry<Target> = {
  target: Target;
  policy: Policy;
  /** The names of the path's parameters, in its order. */
  names: readonly string[];
  /** Which it was of all, in the order of their coming. */
  order: number;
};

type Methods<Target> = Map<string, Entry<Target>>;

type Node<Target> = {
  fixed: Map<string, Node<Target>>;
  any: Node<Target> | undefined;
  exact: Methods<Target>;
  slashed: Methods<Target>;
  /** What no longer path has. */
  rest: Methods<Target>;
  surroundings: Policy | undefined;
};

const node = <Target>(): Node<Target> => ({
  fixed: new Map(),
  any: undefined,
  exact: new Map(),
  slashed: new Map(),
  rest: new Map(),
  surroundings: undefined,
});

type Visit<Target> = {
  method: string;
  segments: readonly string[];
  isSlashed: boolean;
  values: string[];
  /** What has the path, and another method. */
  others: Methods<Target>[];
};

const NO_PARAMS = {};

/**
 * Finds what stands at a path: what has it by name before what has it by a parameter, then what takes the rest. A slash
 * at the end makes no other path; one too many in front or between does.
 */
export class PathMap<Target> {
  readonly #root: Node<Target> = node();
  readonly #fallback: Policy;
  #added = 0;

  /** @param surroundings what counts where no operation is, by path */
  constructor(surroundings: readonly (readonly [path: string, policy: Policy])[]) {
    for (const [path, policy] of surroundings) this.#at(segmentsOf(path)).surroundings = policy;
    const fallback = this.#root.surroundings;
    if (fallback === undefined) throw new Error("nothing is said of paths that nothing else is said of");
    this.#fallback = fallback;
  }

  /**
   * Puts a target at `template`: `:name` stands for a segment, `*` at the end for any that follow; with a slash at the
   * end it is there with the slash only.
   * @param isExact not with a slash at the end, either
   * @throws something is there already
   */
  add(method: string, template: string, target: Target, policy: Policy, isExact = false): void {
    const takesRest = template.endsWith("/*");
    const isSlashed = template !== "/" && template.endsWith("/");
    const segments = segmentsOf(takesRest ? template.slice(0, -2) : template);
    const names = segments.flatMap((segment) => (segment.startsWith(":") ? [segment.slice(1)] : []));
    const found = this.#at(segments);
    const put = (methods: Methods<Target>, at: Policy) => {
      if (methods.has(method)) throw new Error(`two operations at ${method} ${template}`);
      methods.set(method, { target, policy: at, names, order: this.#added });
    };
    this.#added += 1;
    if (takesRest) put(found.rest, policy);
    if (takesRest) return;
    if (!isSlashed) put(found.exact, policy);
    if (!isExact || isSlashed) put(found.slashed, isSlashed ? policy : this.#withSlash(policy, segments));
  }

  /** What stands at a path. `HEAD` is the `GET`. */
  find(asked: string, path: string): Place<Target> {
    const method = asked === "HEAD" ? "GET" : asked;
    const segments = segmentsOf(path);
    const isSlashed = path.length > 1 && path.endsWith("/");
    const visit: Visit<Target> = { method, segments, isSlashed, values: [], others: [] };
    const entry = path.startsWith("/") ? this.#walk(this.#root, 0, visit) : undefined;
    if (entry === undefined) return this.#nothingAt(visit);
    const { target, names, policy: own } = entry;
    const params = paramsOf(names, visit.values);
    const policy = own.holdsFor?.(params) === false ? this.#surroundingsOf(segments) : own;
    return { target, policy, params, methods: [method] };
  }

  #walk(at: Node<Target>, depth: number, visit: Visit<Target>): Entry<Target> | undefined {
    const { segments, isSlashed, values, method, others } = visit;
    const segment = segments[depth];
    if (segment === undefined) {
      const methods = isSlashed ? at.slashed : at.exact;
      const entry = methods.get(method) ?? methods.get(ANY);
      if (entry !== undefined) return entry;
      if (methods.size > 0) others.push(methods);
    } else {
      const next = at.fixed.get(segment);
      const found = next && this.#walk(next, depth + 1, visit);
      if (found) return found;
      if (at.any !== undefined && segment !== "") {
        values.push(segment);
        const deeper = this.#walk(at.any, depth + 1, visit);
        if (deeper) return deeper;
        values.pop();
      }
    }
    const isBelow = segment !== undefined || isSlashed;
    return isBelow ? (at.rest.get(method) ?? at.rest.get(ANY)) : undefined;
  }

  #nothingAt({ others, segments }: Visit<Target>): Place<Target> {
    const named = others.flatMap((known) => [...known]);
    named.sort(([, one], [, other]) => one.order - other.order);
    const methods = [...new Set(named.map(([method]) => method))];
    const own = others
      .flatMap((known) => [...known.values()])
      .map(({ policy }) => (policy.otherMethods === "same" ? policy : policy.otherMethods));
    const policy = own.find((one) => one !== undefined) ?? this.#surroundingsOf(segments);
    return { target: undefined, policy, params: NO_PARAMS, methods };
  }

  #withSlash(policy: Policy, segments: readonly string[]): Policy {
    const { withSlash } = policy;
    if (withSlash !== undefined) return withSlash === "same" ? policy : withSlash;
    return isLenient(policy) ? this.#surroundingsOf(segments) : policy;
  }

  /** What counts at a path of which nothing is said: the nearest above it of which something is. */
  #surroundingsOf(segments: readonly string[]): Policy {
    let policy = this.#fallback;
    let at: Node<Target> | undefined = this.#root;
    for (const segment of segments) {
      at = at.fixed.get(segment);
      if (at === undefined) break;
      policy = at.surroundings ?? policy;
    }
    return policy;
  }

  #at(segments: readonly string[]): Node<Target> {
    let at = this.#root;
    for (const segment of segments) {
      if (segment.startsWith(":")) {
        at.any ??= node();
        at = at.any;
        continue;
      }
      const next = at.fixed.get(segment) ?? node<Target>();
      at.fixed.set(segment, next);
      at = next;
    }
    return at;
  }
}

/** Of `/` none; a slash at the end adds none. */
function segmentsOf(path: string): string[] {
  if (path === "/") return [];
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  return path.slice(1, end).split("/");
}

function paramsOf(names: readonly string[], values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) params[name] = values[at] ?? "";
  return params;
}
