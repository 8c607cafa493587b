export { Components } from "./component-view.tsx";
