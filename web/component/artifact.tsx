import { type ReactNode, useState } from "react";

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
