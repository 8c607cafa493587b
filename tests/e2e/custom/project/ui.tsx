import { useState } from "react";
import "./ui.css";

function Card({ title }: { title: string }) {
  const [open] = useState(true);
  return <p className="card">{open ? title : ""}</p>;
}

const components = { card: Card };

// biome-ignore lint/style/noDefaultExport: that is what the components of a graph are.
export { components as default };
