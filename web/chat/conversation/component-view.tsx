import type { BaseMessage } from "@langchain/core/messages";
import { useStreamContext } from "@langchain/react";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { base, requestText } from "../../api/index.ts";
import { type FromFrame, READY, ROOM, type StreamMethod, type ToFrame } from "../../component/index.ts";
import { useShade } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import type { UiMessage } from "./content.ts";
import { useConversation } from "./conversation-context.ts";
import { useFrame } from "./frame.ts";
import type { StreamedState } from "./timeline/index.ts";
import { WORDS } from "./words.tsx";
import "./component-view.css";

/** What a project's component may do: run, and nothing with our origin. */
const SANDBOX =
  "allow-scripts allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox";

/** Between two drawings of a component while a run goes on. */
const PAUSE_MS = 100;

/** The components that belong under a message. */
export function Components({ of }: { of: string }) {
  const { ui } = useConversation();
  return ui.get(of)?.map((message) => <ComponentView key={message.id} message={message} />);
}

function ComponentView({ message }: { message: UiMessage }) {
  const { assistant } = useSession();
  const graph = assistant?.graph_id;
  const { markup, wrong } = useMarkup(graph, message.name);
  const [failed, setFailed] = useState<string>();
  const why = wrong ?? failed;
  return (
    <div className="component" data-testid="component" data-component={message.name}>
      {why && (
        <p className="note" role="status">
          {WORDS.componentNotShown(message.name, why)}
        </p>
      )}
      {graph && markup !== undefined && !why && (
        <ComponentFrame graph={graph} markup={markup} message={message} onFailed={setFailed} />
      )}
    </div>
  );
}

type FrameProps = { graph: string; markup: string; message: UiMessage; onFailed: (reason: string) => void };

function ComponentFrame({ graph, markup, message, onFailed }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const shade = useShade();
  const stream = useStreamState();
  const { port, height } = useFramePort(frame, onFailed);
  const told = useRef(0);
  useEffect(() => {
    // Tokens come faster than anybody reads, and all messages go along each time.
    const wait = stream.isLoading ? told.current + PAUSE_MS - performance.now() : 0;
    const timer = setTimeout(() => {
      told.current = performance.now();
      port?.postMessage({ type: "draw", graph, markup, message, stream, shade } satisfies ToFrame);
    }, wait);
    return () => clearTimeout(timer);
  }, [port, graph, markup, message, stream, shade]);
  return (
    <iframe
      ref={frame}
      title={message.name}
      sandbox={SANDBOX}
      src={`${base}/chat/component`}
      style={{ height, colorScheme: shade, margin: -ROOM, width: `calc(100% + ${2 * ROOM}px)` }}
    />
  );
}

/** What the stream is at, as plain data. */
function useStreamState() {
  const { values, messages, isLoading, interrupts, error } = useStreamContext<StreamedState>();
  const { threadId, assistant } = useSession();
  const drawn = useFrame(messages);
  const others = useMemo(() => JSON.parse(JSON.stringify({ ...values, messages: [] })), [values]);
  return useMemo(() => {
    const plain = plainMessages(drawn);
    return {
      values: { ...others, messages: plain },
      messages: plain,
      isLoading,
      interrupts: JSON.parse(JSON.stringify(interrupts)),
      error: error === undefined ? undefined : String(error),
      threadId,
      assistantId: assistant?.assistant_id ?? "",
    };
  }, [others, drawn, isLoading, interrupts, error, threadId, assistant]);
}

type Loaded = { markup: string | undefined; wrong: string | undefined };

/** What loads a component of a graph, as the server gives it: asked for once, and again where that failed. */
function useMarkup(graph: string | undefined, name: string): Loaded {
  const { data, error } = useQuery({
    queryKey: ["", "/ui", graph, name],
    enabled: graph !== undefined,
    queryFn: () => requestText(`/ui/${encodeURIComponent(graph ?? "")}`, { method: "POST", body: { name } }),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { once: true },
  });
  return { markup: data, wrong: error?.message };
}

const plain = new WeakMap<BaseMessage, Record<string, unknown>>();

/** Messages as they are on the wire, each object converted once. */
const plainMessages = (messages: readonly BaseMessage[]): Record<string, unknown>[] =>
  messages.map((message) => {
    const known = plain.get(message);
    if (known) return known;
    const { type, data } = message.toDict();
    const made = JSON.parse(JSON.stringify({ ...data, type }));
    plain.set(message, made);
    return made;
  });

/** The greatest height that a component is given, in pixels: the rest is cut off. */
const HIGHEST = 4_000;

/** The way to the document in a frame, once that listens; what it asks for is done. */
function useFramePort(frame: RefObject<HTMLIFrameElement | null>, onFailed: (reason: string) => void) {
  const { act } = useConversation();
  const [port, setPort] = useState<MessagePort>();
  const [height, setHeight] = useState(0);
  const latest = useRef({ act, onFailed });
  latest.current = { act, onFailed };
  useEffect(() => {
    const listen = ({ source, data, ports: [opened] }: MessageEvent) => {
      if (data !== READY || !opened || source !== frame.current?.contentWindow) return;
      opened.onmessage = ({ data: said }: MessageEvent<FromFrame>) => {
        if (said.type === "height") setHeight(Math.min(Number(said.height) || 0, HIGHEST));
        if (said.type === "failed") latest.current.onFailed(String(said.reason));
        if (said.type === "call") answer(opened, said, latest.current.act);
      };
      setPort(opened);
    };
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, [frame]);
  return { port, height };
}

type Call = Extract<FromFrame, { type: "call" }>;

async function answer(
  port: MessagePort,
  { call, method, args }: Call,
  act: (method: StreamMethod, args: unknown[]) => Promise<void>,
): Promise<void> {
  const say = (message: ToFrame) => port.postMessage(message);
  try {
    await act(method, args);
    say({ type: "done", call });
  } catch (error) {
    say({ type: "done", call, error: error instanceof Error ? error.message : String(error) });
  }
}
