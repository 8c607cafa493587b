const STATELESS =
  "In the profile of warm stateless runs, 56 % of the time is LangGraph's own, which bare pays as well; SQL takes 9 %, traces 7 %, all other code of Berth 22 %, and no function of Berth more than 4 %.";
const COLD =
  "A quarter of what is left of the first runs is in the front and three quarters in the executor, where LangGraph runs for the first time (bare pays as well: its own ratio is 3.8); no function takes more than 4 %, and what loads after the first `/ok` takes 2 %.";
const RESTING =
  "Of it 48 MB are pages of the Bun executable, which all of its processes share; of the rest, the executor takes 23 MB.";

const STARTING =
  "In a profile of the executable's start, the main thread takes half of the processor's time, the executor beside it a quarter, JavaScriptCore's compilers 13 % and its collector 8 %; LangGraph in an executable of its own takes 165 ms.";
const GROWING =
  "A run on a longer list is LangGraph's own: bare grows by more, and its 200th run takes longer than Berth's.";

const TRACING =
  "In the profile of four tools, the code of traces and figures takes 12 % of the time: writing spans 5 %, making them text 2 %, noticing calls 2 %; SQL, most of it for the run itself, takes 7 %.";
const SHIPPED = "What is left is that of a run that is not sent on, and about 0.2 ms for sending it.";

/** What is left where a line misses its goal, as the profiles beside the figures say: one sentence each. */
export const REASONS: Record<string, string> = {
  "echo.stateless": STATELESS,
  "echo.stateless-cpu": STATELESS,
  "echo.served": STATELESS,
  "rest.start":
    "Most of it is reading and compiling TypeScript: the same sources compiled ahead, as the second start has them, start in little more than half of the time.",
  "rest.executable-start": STARTING,
  "tracing.echo-extra": TRACING,
  "tracing.tools-extra": TRACING,
  "tracing.shipped-extra": SHIPPED,
  "echo.threads-cpu":
    "In the profile of runs on threads, SQL takes 34 % of the time, traces 9 %, and LangGraph itself 31 %.",
  "age.growth": GROWING,
  "echo.threads":
    "In the profile of runs on threads, SQL takes 34 % of the time, traces 9 %, and LangGraph itself 31 %.",
  "steps.runs":
    "In the profile of 20 supersteps, 54 % of the time is LangGraph's own (ids by SHA-1 in JavaScript: 8 %); SQL takes 20 %, and traces 4 %.",
  "tokens.events":
    "In the profile of tokens, half of the time is LangGraph's and LangChain's own (callbacks of each token); SQL takes 15 %, and encoding events and messages 8 %.",
  "rest.memory": RESTING,
  "rest.compiled-memory": RESTING,
  "rest.executable-memory": RESTING,
  "disk.run": "Spans take four tenths of it, the trace's row and its five indexes three tenths each.",
  "disk.turn":
    "Its three checkpoints take 34 % of it, channel values, writes and lists 30 %, the trace some 20 %, and the run's row 11 %.",
  "disk.growth":
    "Nearly all of what a turn behind 180 others leaves more than a first one are the spans of its trace: the graph and its node have the whole list of messages there, up to 32 KiB each, and the ids in it do not pack.",
  "engine.scan":
    "In the profile of a scan, SQL takes half of the time (a third is reading spans), and the detectors 17 %.",
  "age.state":
    "A third of its profile compared the thread's 400 messages with what their texts were made of, which takes a quarter less since; SQL took 18 %, and LangGraph, for which bare needs three times as long in all, 5 %.",
  "age.history":
    "In its profile, comparing messages with what their texts were made of takes 33 %, LangGraph 16 % and SQL 13 %; bare needs four times as long.",
  "engine.late":
    "Turns of the event loop take up to 23 ms of processor time there, and `/ok` may wait for two; half as many traces at once make a turn hardly shorter and the scan take 27 % more of the processor.",
  "engine.words-late":
    "Each batch of words is written in 6 to 8 ms of the event loop. Twice a second a commit takes 17 to 26 ms, because SQLite then moves 4,000 pages of its log into the file. With 1,000 pages the 99th percentile of `/ok` fell from 20 to 12 ms, and the longest stayed.",
  "idle.memory": RESTING,
  "page.chat":
    "In traces of loads with an empty cache, the page's one thread is busy for four fifths of the time: running the script takes 30 % of that, compiling it 26 %, style and layout 14 %, and most of the rest is the browser's own work for a new page.",
  "page.console":
    "In traces of loads with an empty cache, the page's one thread is busy for five sixths of the time: running the script takes 25 % of that, compiling it 23 %, style and layout 13 %, and most of the rest is the browser's own work for a new page. Two questions come one behind the other before the first screen; without the second, a load took 4 % less.",
  "page-runs.longest":
    "A jump in the list draws each row anew. Of the longest tasks in a trace, the style of 726 elements takes 60 to 70 % and layout a tenth.",
  "memory.rested":
    "Of it 51 MB are pages of the Bun executable, and 56 the two heaps, which are half full and never move an object; before a load, Berth has 148.",
  "cold.stateless-ratio": COLD,
  "cold.threads-ratio": COLD,
};
