export { useRunTitles } from "./run-titles.ts";
export type { Titles } from "./threads.ts";
export { ThreadsScreen } from "./threads-screen.tsx";
