export { ShownFeedback, shownFeedback } from "./feedback.ts";
export { ThreadSummary, threadSummary } from "./thread-summary.ts";
