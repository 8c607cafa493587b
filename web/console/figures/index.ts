export { FiguresScreen } from "./figures-screen.tsx";
export { PricesScreen } from "./prices-screen.tsx";
