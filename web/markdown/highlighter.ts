import { common, createLowlight } from "lowlight";
import { createElement, type ReactNode } from "react";

const lowlight = createLowlight(common);

type Node = { type: string; value?: string; properties?: { className?: unknown }; children?: Node[] };

/** The code as coloured spans; undefined for a language that is not known. */
export function highlight(text: string, language: string): ReactNode | undefined {
  if (!lowlight.registered(language)) return undefined;
  return draw(lowlight.highlight(language, text).children);
}

function draw(nodes: Node[]): ReactNode[] {
  return nodes.map((node, key) => {
    if (node.type === "text") return node.value;
    const names = node.properties?.className;
    const className = Array.isArray(names) ? names.join(" ") : undefined;
    return createElement("span", { key, className }, draw(node.children ?? []));
  });
}
