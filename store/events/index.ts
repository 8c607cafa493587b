export { decodeBody, END, type StoredEvent } from "./event-body.ts";
export { withTexts } from "./event-texts.ts";
export {
  appendEnd,
  appendSegment,
  cancelled,
  deleteEventsOfRuns,
  deleteEventsOfThread,
  firstSeqOfRun,
  lastSeq,
  newestSegment,
  readRunEvents,
  readRunEventsBack,
  readThreadSegments,
  type Segment,
  storedSegment,
} from "./events.ts";
export { foldEvents } from "./fold.ts";
export { insertsSegment } from "./segments.ts";
