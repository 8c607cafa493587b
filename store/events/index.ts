export { decodeBody, END, type StoredEvent } from "./event-body.ts";
export {
  appendEnd,
  appendSegment,
  cancelled,
  deleteEventsOfRun,
  deleteEventsOfThread,
  firstSeqOfRun,
  lastSeq,
  newestSegment,
  readRunEvents,
  readRunEventsBack,
  readThreadSegments,
  type Segment,
  segmentRow,
} from "./events.ts";
export { foldEvents } from "./fold.ts";
export { insertsSegment } from "./segments.ts";
