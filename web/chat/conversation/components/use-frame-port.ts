import { type RefObject, useEffect, useRef, useState } from "react";
import { type FromFrame, type Method, READY, type ToFrame } from "../../../component/index.ts";
import { useConversation } from "../conversation-context.ts";

/** The greatest height that a component is given, in pixels: the rest is cut off. */
const HIGHEST = 4_000;

/** The way to the document in a frame, once that listens; what it asks for is done. */
export function useFramePort(frame: RefObject<HTMLIFrameElement | null>, onFailed: (reason: string) => void) {
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
  act: (method: Method, args: unknown[]) => Promise<void>,
): Promise<void> {
  const say = (message: ToFrame) => port.postMessage(message);
  try {
    await act(method, args);
    say({ type: "done", call });
  } catch (error) {
    say({ type: "done", call, error: error instanceof Error ? error.message : String(error) });
  }
}
