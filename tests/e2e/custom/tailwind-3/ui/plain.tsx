import "./plain.css";

const Plain = () => <p className="plain line-through">Hello</p>;
const components = { plain: Plain };

// biome-ignore lint/style/noDefaultExport: that is what the components of a graph are.
export { components as default };
