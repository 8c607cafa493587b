const STATELESS =
  "In the profile of warm stateless runs, half of the time is LangGraph's own, which bare pays as well; SQL takes 10 %, traces 8 %, all other code of Berth 21 %, and no function of Berth more than 3.5 %.";
const COLD =
  "In the profile of the first runs, the twenty most expensive functions take a fifth of the time together: it is that of code which runs for the first time; only the search for misspelt settings (4 %) could be elsewhere.";

/** What is left where a line misses its goal, as the profiles beside the figures say: one sentence each. */
export const REASONS: Record<string, string> = {
  "echo.stateless": STATELESS,
  "echo.stateless-cpu": STATELESS,
  "echo.served": STATELESS,
  "echo.threads":
    "In the profile of runs on threads, SQL takes 31 % of the time, traces 13 %, and LangGraph itself 30 %.",
  "steps.runs":
    "In the profile of 20 supersteps, half of the time is LangGraph's own (ids by SHA-1 in JavaScript: 7 %); SQL takes 22 %, and traces 7 %.",
  "tokens.events":
    "In the profile of tokens, 54 % of the time is LangGraph's and LangChain's own (callbacks of each token); SQL takes 12 %, and encoding events and messages 7 %.",
  "cold.stateless-ratio": COLD,
  "cold.threads-ratio": COLD,
};
