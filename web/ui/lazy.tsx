import { Component, type ComponentType, type LazyExoticComponent, lazy, type ReactNode } from "react";

/**
 * A screen, or another part of a page, that a browser loads when it is drawn for the first time; `<Suspense>` around
 * it says what is there until then. The first screen of a page has to stay small: whatever is not on it, and every
 * heavy library, comes in this way.
 * @param load a literal `() => import("./NAME/index.ts")`
 */
export function lazyScreen<Name extends string, Props>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): LazyScreen<Props> {
  return Object.assign(
    lazy(async () => ({ default: (await load())[name] })),
    { load },
  );
}

export type LazyScreen<Props = object> = LazyExoticComponent<ComponentType<Props>> & {
  /** Fetches its code, for when it is drawn. */
  load: () => Promise<unknown>;
};

type FailsafeProps = { children: ReactNode; failed: (message: string) => ReactNode };
type FailsafeState = { error?: unknown };

/** A part that breaks, or that cannot be loaded, leaves the others usable; `failed` stands in its place. */
export class Failsafe extends Component<FailsafeProps, FailsafeState> {
  override state: FailsafeState = {};

  static getDerivedStateFromError(error: unknown): FailsafeState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return this.props.failed(error instanceof Error ? error.message : String(error));
  }
}
