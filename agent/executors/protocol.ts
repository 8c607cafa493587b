import type { ListSegment, plainWrite, SpanWrite } from "@berth/store";
import type { OwnApp } from "../apps/index.ts";
import type { ProjectFacts, TypeCache } from "../project/index.ts";
import type { Emission, GraphEnd, OpenState, RunAttempt, RunVerdict, StopReason } from "../runs/index.ts";
import type { EndedSpan } from "../traces/index.ts";
import type { CodeAnswers, RequestHead } from "./code-answers.ts";
import type { FaultText } from "./faults.ts";
import type { CheckpointRead } from "./reads.ts";

// What goes between the process that records runs and an executor beside it: see docs/worker-protocol.md. Everything
// is plain data, and messages keep their order. The process owns the database: an executor never opens it.

/** Which project an executor loads. */
export type ProjectOrigin =
  | { template: string }
  | { path: string; dotenv: "needed" | "optional"; python?: string | undefined };

/** What an executor is told first. */
export type ExecutorOpening = {
  project: ProjectOrigin;
  /** Where what the compiler says of the project's types is kept, and how long it may take. */
  types: { cache: TypeCache; limitMs: number };
};

/** What an executor is told once the house is there that it works for. */
export type WorkPlace = {
  /** Whether runs leave traces, and whether somebody watches their spans as they end. */
  traces: boolean;
  watched: boolean;
};

/** What is known of a project once it is loaded. */
export type LoadedFacts = ProjectFacts & {
  /** Of its `store.index`. */
  embedding: { model: string; dims: number; fields: string[] } | undefined;
};

/** A checkpoint write as it travels. */
export type PlainWrite = ReturnType<typeof plainWrite>;

/** What a graph gives away as it runs, in its order: an event, or something to store under a number. */
export type GraphOutput = { event: Emission; shown?: number } | { write: PlainWrite; number: number };

/** Where the lists of a stored write went. */
export type Outcome = { number: number; lists: (ListSegment[] | undefined)[] };

/** What an attempt can be asked for once its graph has ended. */
export type Question = { of: "openState" | "values" | "lastValues" };

/** What an executor asks the process for. */
export type Wish =
  | { of: "settle"; job: number }
  | { of: "read"; read: CheckpointRead }
  | { of: "items"; operations: string }
  | { of: "session" }
  | { of: "spans"; spans: SpanWrite[] }
  | { of: "traces"; traces: SpanWrite[][] }
  | { of: "lost"; traceId: string; since: number }
  /** Whether a request that it has only now come to is still its own. */
  | { of: "request"; request: number };

/** A span that has ended, with its bodies as text. */
export type WatchedSpan = Omit<EndedSpan, "inputs" | "outputs"> & {
  inputs: string;
  outputs: string | undefined;
};

/** A request to an app of the project, as it travels. */
export type SentRequest = {
  /** The prefix of one that is mounted; none of the one for all paths. */
  app: string | undefined;
  of: keyof OwnApp;
  head: RequestHead;
  /** The number of a body that is given away. */
  body: number | undefined;
};

/** Of a body of a request or an answer: each end numbers those that it gives away. */
export type BodyMessage =
  | { type: "body"; of: "pull"; body: number }
  | { type: "body"; of: "cancel"; body: number }
  /** Without a chunk: its end. */
  | { type: "body"; of: "chunk"; body: number; chunk?: Uint8Array | undefined; fault?: FaultText };

/** An answer to a question or a wish: a value, or what went wrong. */
export type CallAnswer = { type: "answer"; call: number; value?: unknown; fault?: FaultText };

export type ToExecutor =
  | { type: "open"; protocol: number; opening: ExecutorOpening }
  | { type: "work"; place: WorkPlace }
  /** `clockOffsetMs` is how far the clock of the database is ahead of the machine's. */
  | { type: "begin"; job: number; attempt: RunAttempt; clockOffsetMs: number }
  | { type: "stop"; job: number; why: StopReason }
  | { type: "stored"; job: number; outcomes: Outcome[] }
  | { type: "close"; job: number; verdict: RunVerdict | undefined }
  | { type: "ask"; call: number; job: number; question: Question }
  | { type: "code"; call: number; of: keyof CodeAnswers; takes: unknown[] }
  | { type: "request"; call: number; request: SentRequest; sentAt: number }
  /** Whoever sent the request is gone. */
  | { type: "leave"; call: number }
  | { type: "flush"; call: number }
  | { type: "ping" }
  /** The process is calm. */
  | { type: "giveMemoryBack" }
  | BodyMessage
  | CallAnswer;

export type FromExecutor =
  | { type: "ready"; protocol: number; facts: LoadedFacts }
  /** It cannot load the project. */
  | { type: "unready"; fault: FaultText }
  /** It begins with a request. */
  | { type: "begun"; call: number }
  | { type: "gives"; job: number; given: GraphOutput[] }
  | { type: "ended"; job: number; end: GraphEnd }
  /** What ran the graph for this executor has ended, and the attempt with it. */
  | { type: "lost"; job: number; why: string }
  | { type: "wish"; call: number; wish: Wish }
  | { type: "span"; span: WatchedSpan }
  | { type: "log"; event: string; fields: Record<string, unknown> }
  | { type: "pong" }
  | BodyMessage
  | CallAnswer;

/** What the answers to questions hold. */
export type QuestionAnswers = {
  openState: OpenState;
  values: string | undefined;
  lastValues: string | undefined;
};

/** One end of the way between the two. Messages that are sent in one breath travel together. */
export type Port<Sent, Heard> = {
  send(messages: Sent[]): void;
  listen(hear: (messages: Heard[]) => void): void;
};

/** What is done with each kind of message. */
export type Hearers<Message extends { type: string }> = {
  [Type in Message["type"]]: (message: Extract<Message, { type: Type }>) => unknown;
};
