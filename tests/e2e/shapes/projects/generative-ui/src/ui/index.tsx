import { Failing } from "./failing.tsx";
import { Weather } from "./weather.tsx";
import "./styles.css";

const components = { weather: Weather, failing: Failing };

// biome-ignore lint/style/noDefaultExport: that is what the components of a graph are.
export { components as default };
