export { useScreenCode } from "./current-screen.tsx";
export { Frame } from "./frame.tsx";
