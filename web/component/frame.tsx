import { LoadExternalComponent } from "@langchain/langgraph-sdk/react-ui";
import { Component, type ComponentProps, type ReactNode, useState } from "react";
import type { ToFrame } from "./messages.ts";
import type { streamOf } from "./remote-stream.ts";

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
export function useArtifact() {
  const [open, setOpen] = useState(false);
  const [context, setContext] = useState<Context>({});
  return [open ? Opened : Closed, { open, setOpen, context, setContext }] as const;
}
