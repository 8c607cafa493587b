export { IssueScreen } from "./issue-screen.tsx";
export { IssuesScreen } from "./issues-screen.tsx";
export { SessionScreen } from "./session-screen.tsx";
