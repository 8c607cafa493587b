export { StudioScreen } from "./studio-screen.tsx";
