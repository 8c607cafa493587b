export { ThreadsScreen } from "./threads-screen.tsx";
export { type Titles, useTitles } from "./use-titles.ts";
