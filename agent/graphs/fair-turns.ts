/** The longest that tokens keep everybody else waiting. */
const TURN_MS = 1;

/** When the event loop last turned for the sake of some run, and the turn that they all wait for. */
let lastTurn = 0;
let nextTurn: Promise<void> | undefined;

/** One turn for everybody: if each run took its own, a full round would last as long as all of them together. */
export function turn(): Promise<void> {
  nextTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      lastTurn = performance.now();
      nextTurn = undefined;
      resolve();
    });
  });
  return nextTurn;
}

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
    handleLLMNewToken: () => (performance.now() - lastTurn < TURN_MS ? undefined : turn()),
  };
}
