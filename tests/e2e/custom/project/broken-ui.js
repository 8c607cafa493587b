import "./none.css";

// biome-ignore lint/style/noDefaultExport: that is what the components of a graph are.
export default {};
