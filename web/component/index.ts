// What the chat and the document in the frame of a component tell each other.
export { type FromFrame, type Method, READY, ROOM, type ToFrame } from "./messages.ts";
