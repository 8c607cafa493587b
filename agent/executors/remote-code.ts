import type { Embedder } from "@berth/store";
import type { AppLook, OwnApp } from "../apps/index.ts";
import type { AuthQuestion, AuthUser, ProjectAuth } from "../auth.ts";
import type { HttpConfig, HttpFacts, ServedProject } from "../project/index.ts";
import type {
  DraftedEdit,
  HistoryQuery,
  StateCode,
  StateEdit,
  StatefulThread,
  StateQuery,
  ThreadState,
} from "../threads/index.ts";
import type { Executors } from "./executors.ts";
import type { CodeWork, House, ProjectCode } from "./project-code.ts";
import type { LoadedFacts } from "./protocol.ts";
import { headOf } from "./requests.ts";

/** The code of a project as it is asked in executors. */
export class RemoteCode implements ProjectCode {
  readonly project: ServedProject;
  readonly embedder: Embedder | undefined;

  constructor(
    private readonly executors: Executors,
    { embedding, ...facts }: LoadedFacts,
  ) {
    const { http, auth, ...known } = facts;
    this.project = {
      ...known,
      http: http && appsOf(executors, http),
      auth: auth && new RemoteAuth(executors, auth),
      schemas: (graphId, config) => executors.ask("schemas", graphId, config),
      drawing: (graphId, xray, config) => executors.ask("drawing", graphId, xray, config),
      subgraphs: (graphId, query, config) => executors.ask("subgraphs", graphId, query, config),
      shape: (graphId) => executors.ask("shape", graphId),
      readTypes: () => executors.ask("readTypes"),
    };
    this.embedder = embedding && { ...embedding, embed: (texts) => executors.ask("embed", texts) };
  }

  work({ lists: _, ...granted }: House): CodeWork {
    this.executors.work(granted);
    return { executor: this.executors, states: new RemoteStates(this.executors) };
  }
}

/** The apps that its configuration names. */
function appsOf(executors: Executors, { hasApp, prefixes, ...http }: HttpFacts): HttpConfig {
  return {
    ...http,
    app: hasApp ? new RemoteApp(executors, undefined) : undefined,
    mounted: prefixes.map((prefix) => ({ prefix, app: new RemoteApp(executors, prefix) })),
  };
}

class RemoteApp implements OwnApp {
  /** @param prefix of one that is mounted */
  constructor(
    private readonly executors: Executors,
    private readonly prefix: string | undefined,
  ) {}

  async answer(request: Request): Promise<Response> {
    return (await this.executors.request({ app: this.prefix, of: "answer", request })).response;
  }

  look(request: Request): Promise<AppLook> {
    return this.executors.request({ app: this.prefix, of: "look", request });
  }
}

class RemoteStates implements StateCode {
  constructor(private readonly executors: Executors) {}

  state(thread: StatefulThread, query: StateQuery): Promise<ThreadState> {
    return this.executors.ask("state", thread, query);
  }

  /** All of it at one executor, which reads a state when it is asked for it. */
  async *history(thread: StatefulThread, query: HistoryQuery): AsyncGenerator<ThreadState> {
    const executor = await this.executors.home();
    const history = await executor.code("beginHistory", [thread, query]);
    try {
      for (;;) {
        const state = await executor.code("nextState", [history]);
        if (!state) return;
        yield state;
      }
    } finally {
      await executor.code("endHistory", [history]).catch(() => undefined);
    }
  }

  edit(thread: StatefulThread, edit: StateEdit): Promise<DraftedEdit> {
    return this.executors.ask("edit", thread, edit);
  }
}

class RemoteAuth implements ProjectAuth {
  readonly studioDisabled: boolean;
  readonly declared: ProjectAuth["declared"];

  constructor(
    private readonly executors: Executors,
    { studioDisabled, declared }: Pick<ProjectAuth, "studioDisabled" | "declared">,
  ) {
    this.studioDisabled = studioDisabled;
    this.declared = declared;
  }

  authenticate(request: Request): Promise<AuthUser> {
    return this.executors.ask("authenticate", headOf(request));
  }

  async ask(user: AuthUser, question: AuthQuestion) {
    const { seen, value } = await this.executors.ask("askAuth", user, question);
    // As where the handler is at hand: what it puts into the value is done.
    for (const name of Object.keys(question.value)) if (!(name in value)) delete question.value[name];
    Object.assign(question.value, value);
    return seen;
  }
}
