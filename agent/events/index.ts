export { RunFeed } from "./feed.ts";
export { followRun } from "./follow.ts";
export { followThread, readFrames } from "./follow-thread.ts";
export { RunStreamView, readPosition, type StreamPosition, TOKEN } from "./run-stream.ts";
export { type FrameText, frameTexts } from "./shared-frames.ts";
export { SharedReads } from "./shared-reads.ts";
export { CHANGES, StateReader, StateWriter } from "./state-log.ts";
export { ThreadFeeds, type ThreadFrame } from "./thread-feed.ts";
export { streamThread, threadPosition } from "./thread-stream.ts";
