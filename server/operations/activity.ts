import { controlPlane } from "../access/index.ts";
import {
  type Call,
  callOf,
  isAdmitted,
  isOperator,
  type Operation,
  operation,
  sse,
  workspaceOf,
} from "../http/index.ts";
import { type ActivityFeed, MOST_WATCHERS, type Watcher } from "./activity-feed.ts";

/** `/v1/activity`: what to ask for again, live. */
export const activityRoutes = (feed: ActivityFeed): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/activity",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Operations",
      summary: "Follow what happens",
      description: `Server-sent events of the workspace, each a hint to read something again: first \`ready\`, then \`traces\`, \`issues\`, \`deliveries\`, \`engine_runs\`, \`subscriptions\`, \`threads\`, \`runs\` and \`keys\`, each at most once a second, and \`system\` at most every five seconds. There is no replay: a client that comes back reads everything again. At most ${MOST_WATCHERS} clients may listen at once; one more gets 429.`,
      answers: {
        200: { description: "The hints", mediaType: "text/event-stream" },
        429: "Too many clients listen already",
      },
    },
    async (input) => {
      const watcher = await feed.watch(workspaceOf(input.caller), isOperator(input.caller));
      const { admit } = callOf(input.request);
      return sse(input, (gone) => follow(watcher, gone, admit), { onClose: () => watcher.leave() });
    },
  ),
];

async function* follow(watcher: Watcher, gone: AbortSignal, admit: Call["admit"]): AsyncGenerator<string> {
  yield frame("ready");
  while (!gone.aborted) {
    const news = await watcher.news(gone);
    // Whoever may not ask any more learns nothing more: a key is deleted, a sign-in over.
    if (!(await isAdmitted(admit))) return;
    if (news.length > 0) yield news.map(frame).join("");
  }
}

const frame = (event: string): string =>
  `event: ${event}\ndata: ${JSON.stringify({ at: new Date().toISOString() })}\n\n`;
