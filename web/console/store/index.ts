export { StoreScreen } from "./store-screen.tsx";
