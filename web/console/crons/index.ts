export { CronsScreen } from "./crons-screen.tsx";
