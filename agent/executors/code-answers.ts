import { NotFound, plainWrite, Unauthenticated } from "@berth/store";
import type { AuthQuestion, AuthUser, ProjectAuth } from "../auth.ts";
import type { HistoryQuery, StateEdit, StatefulThread, StateQuery, ThreadState } from "../threads/index.ts";
import type { CodeWork, ProjectCode } from "./project-code.ts";

/** A request as auth handlers see it: without its body. */
export type RequestHead = { url: string; method: string; headers: [name: string, value: string][] };

/**
 * What the process asks the code of a project for beside runs, in the executor that has that code: plain data in and
 * out.
 */
export function codeAnswers({ project, embedder }: ProjectCode, { states }: CodeWork) {
  const histories = new Map<number, AsyncGenerator<ThreadState>>();
  let lastHistory = 0;
  const auth = (): ProjectAuth => {
    if (!project.auth) throw new Unauthenticated("Not authenticated");
    return project.auth;
  };
  return {
    schemas: project.schemas,
    drawing: project.drawing,
    subgraphs: project.subgraphs,
    shape: project.shape,
    readTypes: project.readTypes,
    embed: async (texts: string[]) => {
      if (!embedder) throw new NotFound("The project has no embedding");
      return embedder.embed(texts);
    },
    state: (thread: StatefulThread, query: StateQuery) => states.state(thread, query),
    edit: async (thread: StatefulThread, edit: StateEdit) => {
      const { draft, ...drafted } = await states.edit(thread, edit);
      return { ...drafted, draft: { ...draft, writes: draft.writes.map(plainWrite) } };
    },
    beginHistory: async (thread: StatefulThread, query: HistoryQuery): Promise<number> => {
      histories.set(++lastHistory, states.history(thread, query));
      return lastHistory;
    },
    nextState: async (history: number): Promise<ThreadState | undefined> => {
      const { value } = (await histories.get(history)?.next()) ?? {};
      return value ?? undefined;
    },
    endHistory: async (history: number): Promise<void> => {
      const states = histories.get(history);
      histories.delete(history);
      await states?.return(undefined);
    },
    authenticate: async ({ url, ...head }: RequestHead): Promise<AuthUser> =>
      plain(await auth().authenticate(new Request(url, head))),
    /** What the user may see, and what the handler made of the question's value. */
    askAuth: async (user: AuthUser, question: AuthQuestion) => {
      const seen = await auth().ask(user, question);
      return { seen, value: plain(question.value) };
    },
  };
}

export type CodeAnswers = ReturnType<typeof codeAnswers>;

/** What handlers make may hold anything, functions also, which do not travel. */
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
