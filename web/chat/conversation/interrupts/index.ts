export { Interrupts } from "./interrupts.tsx";
