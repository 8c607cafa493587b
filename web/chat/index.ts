export { ChatPage } from "./page/index.ts";
