// What the chat and the document in the frame of a component tell each other.
export { type FromFrame, READY, ROOM, type StreamMethod, type ToFrame } from "./messages.ts";
