import { createRoot } from "react-dom/client";
import { Frame, streamOf, takeDone } from "./frame.tsx";
import { type FromFrame, READY, ROOM, type ToFrame } from "./messages.ts";
import { inShade, recolour } from "./shade.ts";

const { port1: chat, port2: theirs } = new MessageChannel();
const say = (message: FromFrame) => chat.postMessage(message);
const failed = (reason: string) => say({ type: "failed", reason });

const place = document.createElement("div");
document.documentElement.style.overflow = "hidden";
// Room for shadows and focus rings; the chat draws the frame that much larger.
document.body.style.margin = `${ROOM}px`;
document.body.style.font = "16px/1.5 system-ui, sans-serif";
// The margins of what is drawn belong to its height.
place.style.display = "flow-root";
document.body.append(place);
new ResizeObserver(() =>
  say({ type: "height", height: Math.ceil(place.getBoundingClientRect().height) + 2 * ROOM }),
).observe(place);
addEventListener("error", (event) => event instanceof ErrorEvent && failed(event.message));

const root = createRoot(place, { onUncaughtError: (error) => failed(String(error)) });
chat.onmessage = ({ data }: MessageEvent<ToFrame>) => {
  if (data.type === "done") return takeDone(data);
  document.documentElement.style.colorScheme = data.shade;
  document.documentElement.className = data.shade;
  const themed = { ...data, markup: inShade(data.markup, data.shade) };
  for (const host of document.querySelectorAll(`[id^="child-shadow-"]`)) recolour(host, data.shade);
  root.render(<Frame {...themed} stream={streamOf(themed, say)} onFailed={failed} />);
};
// Only the chat that holds this frame gets the port, and nobody else is listened to.
parent.postMessage(READY, "*", [theirs]);
