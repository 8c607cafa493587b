import "./card.css";

const Card = () => <p className="text-brand underline dark:bg-black">Hello</p>;
const components = { card: Card };

// biome-ignore lint/style/noDefaultExport: that is what the components of a graph are.
export { components as default };
