import "./broken.css";

const components = {};

// biome-ignore lint/style/noDefaultExport: that is what the components of a graph are.
export { components as default };
