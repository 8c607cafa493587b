/** What the rows need of the server that they are sent to. */
export type Place = {
  url: string;
  /** The address of a project with components of its own. */
  components: string;
  /** An assistant of our own, of the graph `nested`. */
  assistant: string;
  /** A thread on which the graph `agent` ran once, and that run. */
  thread: string;
  run: string;
  /** The newest checkpoint of that thread. */
  checkpoint: string;
  /** A thread nobody ran anything on. */
  newThread(): Promise<string>;
  /** A thread whose run waits for an answer. */
  askingThread(): Promise<string>;
  /** A run that waits an hour before it begins, on a thread of its own or on none. */
  delayedRun(): Promise<{ thread: string; run: string }>;
  newCron(): Promise<string>;
  /** A task of the agent-to-agent protocol that is completed. */
  newTask(): Promise<{ id: string; contextId: string }>;
};

/** What goes into a request; what the path needs and is not said is taken from the place. */
export type Sent = {
  path?: Record<string, string>;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Another method than the route's, which it does not have. */
  method?: string;
};

type Sending = (place: Place) => Sent | Promise<Sent>;

/** One operation of the reference: a request that it takes, one that it refuses, and what it answers to each. */
export type OperationRow = {
  /** Method and path, and for what has many methods at one path the method's own name. */
  route: string;
  /** Goes over one WebSocket of the thread; `{subscription_id}` is the one that was subscribed to last. */
  socket?: true;
  good?: Sending;
  /** Matches the JSON; a text is looked for in any other answer, of a stream in what comes first. */
  answers: { status: number; shape?: unknown };
  /** Without one: ids that nobody has. */
  bad?: Sending;
  refuses?: { status: number; shape?: unknown };
  /** Is asked of the project with components of its own. */
  components?: true;
  /** Who still builds it. The test fails once it works, so that this goes. */
  open?: string;
};

/** Without `known` ids, those that nobody has. */
export function requestOf(
  { route, components }: OperationRow,
  place: Place,
  sent: Sent,
  known: boolean,
): { url: string; init: RequestInit } {
  const [method = "GET", path = ""] = route.split(" ");
  const ids: Record<string, string> = known
    ? {
        assistant_id: place.assistant,
        thread_id: place.thread,
        run_id: place.run,
        checkpoint_id: place.checkpoint,
        namespace: "gp_two",
      }
    : {};
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(sent.path?.[name] ?? ids[name] ?? UNKNOWN_ID),
  );
  const headers = { ...(sent.body !== undefined && { "content-type": "application/json" }), ...sent.headers };
  const body = sent.body === undefined ? {} : { body: JSON.stringify(sent.body) };
  return {
    url: `${components ? place.components : place.url}${filled}${sent.query ?? ""}`,
    init: { method: sent.method ?? method, headers, ...body },
  };
}

export const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";
