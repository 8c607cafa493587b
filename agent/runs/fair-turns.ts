/** The longest that tokens keep everybody else waiting. */
const TURN_MS = 2;

/** When the event loop last turned for the sake of some run: all of them share the one loop. */
let lastTurn = 0;

/**
 * A callback handler that lets the event loop turn while a model streams. A model that never pauses (a cache, a
 * local or a scripted one) gives its tokens in one long chain of promises; without a turn in between no other
 * run, timer or socket would move, and its own first token would leave with its last.
 */
export function fairTurns() {
  return {
    name: "fair-turns",
    // Awaited by the model's stream, which is what makes it wait (LANGCHAIN_CALLBACKS_BACKGROUND=false).
    awaitHandlers: true,
    ignoreLLM: false,
    ignoreChain: true,
    ignoreAgent: true,
    ignoreRetriever: true,
    ignoreCustomEvent: true,
    raiseError: false,
    handleLLMNewToken(): Promise<void> | undefined {
      if (performance.now() - lastTurn < TURN_MS) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          lastTurn = performance.now();
          resolve();
        });
      });
    },
  };
}
