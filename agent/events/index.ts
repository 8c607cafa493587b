export { followRun, RunFeed, SharedReads } from "./follow.ts";
export { patiently } from "./patiently.ts";
export {
  type FrameText,
  frameTexts,
  RunStreamView,
  readPosition,
  type StreamPosition,
  TOKEN,
} from "./run-stream.ts";
export { CHANGES, StateReader, StateWriter } from "./state-log.ts";
export { followThread, readFrames, ThreadFeeds, type ThreadFrame } from "./thread-feed.ts";
export { streamThread, threadPosition } from "./thread-stream.ts";
