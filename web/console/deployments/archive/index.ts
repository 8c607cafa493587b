export { configPathOf, type DroppedProject, packed, readChosen, readDrop } from "./project-files.ts";
