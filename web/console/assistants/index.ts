export { AssistantScreen } from "./assistant-screen.tsx";
export { AssistantsScreen } from "./assistants-screen.tsx";
