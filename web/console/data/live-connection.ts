import { useEffect, useState } from "react";
import { followEvents, type StreamEvent } from "./event-stream.ts";
import { announce, LIVE_KINDS, type LiveKind } from "./live.ts";
import { useWorkspace } from "./workspace.ts";

/** So often at most is one kind of thing asked for again, however fast it changes. */
const PACE_MS = 1_000;

const CHANGES = "/v1/changes";
const ACTIVITY = "/v1/activity";

/** Listens to what becomes different in the workspace while the tab can be seen, and has it asked for again. */
export function useLiveConnection(): { lostSince: number | undefined } {
  const workspace = useWorkspace();
  const [lostSince, setLostSince] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workspace has other news.
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const pace = new Pace();
    const changes = new Connection(() => announce("deployments"));
    const activity = new Connection(() => announce("all"), setLostSince);
    void followEvents(CHANGES, {
      signal,
      onEvents: () => pace.tell("deployments"),
      onConnected: (connected) => changes.say(connected),
    });
    void followEvents(ACTIVITY, {
      signal,
      onEvents: (events) => {
        for (const kind of new Set(events.map(({ event }: StreamEvent) => event)))
          if (isLiveKind(kind)) pace.tell(kind);
      },
      onConnected: (connected) => activity.say(connected),
    });
    return () => {
      stop.abort();
      pace.end();
    };
  }, [workspace]);
  return { lostSince };
}

const isLiveKind = (name: string): name is LiveKind => LIVE_KINDS.some((kind) => kind === name);

/** Whether there is a connection; whatever changed before there was one has to be asked for. */
class Connection {
  #was: boolean | undefined;

  constructor(
    private readonly opened: () => void,
    private readonly lost: (since: number | undefined) => void = () => {},
  ) {}

  say(connected: boolean): void {
    if (connected === this.#was) return;
    this.#was = connected;
    // A tab that nobody sees lets go of its connection itself.
    this.lost(connected || document.visibilityState === "hidden" ? undefined : Date.now());
    if (connected) this.opened();
  }
}

/** Tells the first of many at once, and the last of them when the pace allows. */
class Pace {
  readonly #waiting = new Map<LiveKind, { timer: ReturnType<typeof setTimeout>; again: boolean }>();

  tell(kind: LiveKind): void {
    const waiting = this.#waiting.get(kind);
    if (waiting) waiting.again = true;
    else this.#now(kind);
  }

  end(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  #now(kind: LiveKind): void {
    announce(kind);
    const timer = setTimeout(() => {
      const again = this.#waiting.get(kind)?.again === true;
      this.#waiting.delete(kind);
      if (again) this.#now(kind);
    }, PACE_MS);
    this.#waiting.set(kind, { timer, again: false });
  }
}
