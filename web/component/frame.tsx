import { LoadExternalComponent } from "@langchain/langgraph-sdk/react-ui";
import { Component, type ComponentProps, type ReactNode, useState } from "react";
import type { FromFrame, StreamMethod, StreamState, ToFrame } from "./messages.ts";

type FrameProps = Omit<Extract<ToFrame, { type: "draw" }>, "stream" | "type"> & {
  stream: ReturnType<typeof streamOf>;
  onFailed: (reason: string) => void;
};

/** A project's component, drawn by the official loader: in a shadow root, with the project's own styles. */
export function Frame({ graph, message, stream, shade, onFailed }: FrameProps) {
  const artifact = useArtifact();
  return (
    <Boundary name={message.name} onFailed={onFailed}>
      <LoadExternalComponent
        key={message.id}
        namespace={graph}
        message={message}
        stream={stream as unknown as ComponentProps<typeof LoadExternalComponent>["stream"]}
        meta={{ ui: message, artifact }}
        className={shade}
      />
    </Boundary>
  );
}

type BoundaryProps = { name: string; onFailed: (reason: string) => void; children: ReactNode };

class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    const { name, onFailed } = this.props;
    const text = error instanceof Error ? error.message : String(error);
    // What React says of a component that is undefined: the loader asks the module for a name that it lacks.
    const isMissing = text.startsWith("Element type is invalid") || text.includes("#130");
    onFailed(isMissing ? `the graph has no component of the name "${name}"` : text);
  }

  override render() {
    return this.state.failed ? null : this.props.children;
  }
}

type SlotProps = { title?: ReactNode; children?: ReactNode };
type Context = Record<string, unknown>;

const Closed = () => null;

function Opened({ title, children }: SlotProps) {
  return (
    <section>
      {title && <header>{title}</header>}
      {children}
    </section>
  );
}

/**
 * What Agent Chat UI hands to components as `meta.artifact`: a slot beside the conversation, and whether it is open.
 * Here the slot is where the component is.
 */
function useArtifact() {
  const [open, setOpen] = useState(false);
  const [context, setContext] = useState<Context>({});
  return [open ? Opened : Closed, { open, setOpen, context, setContext }] as const;
}

type Draw = Extract<ToFrame, { type: "draw" }>;
type Done = Extract<ToFrame, { type: "done" }>;
type Say = (message: FromFrame) => void;

let calls = 0;
const open = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();

/** The chat has done what a component asked for. */
export function takeDone({ call, error }: Done): void {
  const waiting = open.get(call);
  open.delete(call);
  if (error === undefined) waiting?.resolve();
  else waiting?.reject(new Error(error));
}

function ask(say: Say, method: StreamMethod, args: unknown[]): Promise<void> {
  calls += 1;
  const call = calls;
  return new Promise((resolve, reject) => {
    open.set(call, { resolve, reject });
    // What cannot be sent, such as a function among the options, is left out.
    say({ type: "call", call, method, args: JSON.parse(JSON.stringify(args)) });
  });
}

let markup = "";
const client = { "~ui": { getComponent: async () => markup } };

/** The stream of the chat as the loader and the components want it; what it does is done by the chat. */
export function streamOf(draw: Draw, say: Say): StreamState & Record<string, unknown> {
  markup = draw.markup;
  const { stream } = draw;
  return {
    ...stream,
    interrupt: stream.interrupts[0],
    isThreadLoading: false,
    toolCalls: [],
    history: [],
    branch: "",
    client,
    submit: (values: unknown, options: unknown = {}) => ask(say, "submit", [values ?? null, options]),
    respond: (answer: unknown, options: unknown = {}) => ask(say, "respond", [answer ?? null, options]),
    stop: () => ask(say, "stop", []),
    setBranch: () => {},
    getMessagesMetadata: () => undefined,
    joinStream: async () => {},
  };
}
