const STATELESS =
  "In the profile of warm stateless runs, LangGraph's own functions, which bare runs as well, and the statements of SQLite lead; no function of Berth takes more than 3 %, so what is left is spread over the way of a request.";
const COLD =
  "In the profile of the first runs, the twenty most expensive functions take a fifth of the time together, and most of them are LangGraph's: the time is that of code which runs for the first time, not of one place.";

/** What is left where a line misses its goal, as the profiles beside the figures say: one sentence each. */
export const REASONS: Record<string, string> = {
  "echo.stateless": STATELESS,
  "echo.stateless-cpu": STATELESS,
  "echo.served": STATELESS,
  "echo.threads":
    "In the profile of runs on threads, the statements of SQLite take more than a quarter of the time; the words and packs of traces are the next of Berth's, with 1 to 2 % each.",
  "steps.runs":
    "In the profile of 20 supersteps, LangGraph's own functions lead (ids by SHA-1, configs, signals: a quarter of the time in the top twenty); the statements of SQLite take 14 %.",
  "tokens.events":
    "In the profile of tokens, handing bytes to sockets, encoding events and writing them take 4 to 5 % each, and LangChain's callbacks, which bare pays as well, some 15 %.",
  "cold.stateless-ratio": COLD,
  "cold.threads-ratio": COLD,
};
