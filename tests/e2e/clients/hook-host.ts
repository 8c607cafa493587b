import * as React from "react";

type Effect = { run: () => unknown; dependencies: readonly unknown[] | undefined };
type Slot = { value?: unknown; dependencies?: readonly unknown[] | undefined; cleanup?: unknown };

/** Where React looks for the hooks of the component that renders; what hosts of React set too. */
const INTERNALS = "__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE";
const internals = (React as unknown as Record<string, { H: unknown }>)[INTERNALS];

/**
 * Runs one hook as a component without any page would: it renders, runs the effects, and renders again whenever
 * a state or a store that it reads has changed. Enough of React for a hook that talks to a server.
 */
export class HookHost<Result> {
  #slots: Slot[] = [];
  #effects: Effect[] = [];
  #at = 0;
  #queued = false;
  #gone = false;
  #result: { value: Result } | undefined;

  constructor(private readonly hook: () => Result) {
    this.#render();
  }

  /** What the hook gave when it was last rendered. */
  get result(): Result {
    if (!this.#result) throw new Error("the hook was not rendered");
    return this.#result.value;
  }

  unmount(): void {
    this.#gone = true;
    for (const { cleanup } of this.#slots) if (typeof cleanup === "function") cleanup();
  }

  #render(): void {
    if (!internals) throw new Error("this React keeps its hooks elsewhere");
    this.#at = 0;
    this.#effects = [];
    const outer = internals.H;
    internals.H = this.#dispatcher;
    try {
      this.#result = { value: this.hook() };
    } finally {
      internals.H = outer;
    }
    for (const { run } of this.#effects) run();
  }

  #changed = (): void => {
    if (this.#queued || this.#gone) return;
    this.#queued = true;
    queueMicrotask(() => {
      this.#queued = false;
      if (!this.#gone) this.#render();
    });
  };

  #slot(make: () => Slot): Slot {
    const slot = this.#slots[this.#at] ?? make();
    this.#slots[this.#at] = slot;
    this.#at += 1;
    return slot;
  }

  /** The value of a slot, made anew when what it depends on has changed. */
  #kept<T>(make: () => T, dependencies: readonly unknown[] | undefined): T {
    const slot = this.#slot(() => ({ value: make(), dependencies }));
    if (!same(slot.dependencies, dependencies)) Object.assign(slot, { value: make(), dependencies });
    return slot.value as T;
  }

  readonly #dispatcher = {
    useState: (initial: unknown) => {
      const slot = this.#slot(() => ({ value: typeof initial === "function" ? initial() : initial }));
      const set = (next: unknown) => {
        const value = typeof next === "function" ? next(slot.value) : next;
        if (Object.is(value, slot.value)) return;
        slot.value = value;
        this.#changed();
      };
      return [slot.value, set];
    },
    useRef: (current: unknown) => this.#slot(() => ({ value: { current } })).value,
    useMemo: (make: () => unknown, dependencies?: readonly unknown[]) => this.#kept(make, dependencies),
    useCallback: (callback: unknown, dependencies?: readonly unknown[]) =>
      this.#kept(() => callback, dependencies),
    useEffect: (run: () => unknown, dependencies?: readonly unknown[]) => {
      let due = false;
      const slot = this.#slot(() => {
        due = true;
        return { dependencies };
      });
      due ||= !same(slot.dependencies, dependencies);
      slot.dependencies = dependencies;
      const again = () => {
        if (typeof slot.cleanup === "function") slot.cleanup();
        slot.cleanup = run();
      };
      if (due) this.#effects.push({ run: again, dependencies });
    },
    useSyncExternalStore: (subscribe: (changed: () => void) => unknown, snapshot: () => unknown) => {
      const slot = this.#slot(() => ({ cleanup: subscribe(this.#changed) }));
      slot.value = snapshot();
      return slot.value;
    },
  };
}

function same(before: readonly unknown[] | undefined, now: readonly unknown[] | undefined): boolean {
  if (!before || !now) return false;
  return before.length === now.length && before.every((value, index) => Object.is(value, now[index]));
}
