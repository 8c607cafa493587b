export { type Titles, useTitles } from "./threads.ts";
export { ThreadsScreen } from "./threads-screen.tsx";
