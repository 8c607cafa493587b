import type { GraphDrawing } from "@berth/server";
import { Check, CircleAlert, LoaderCircle, Pause, ZoomIn, ZoomOut } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { classes, IconButton } from "../../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { type PlacedEdge, type PlacedGraph, type PlacedNode, placed } from "./layout.ts";
import "./graph.css";

/** What a node does, or did last. */
export type NodeLight = { state: "running" | "done" | "failed" | "waiting"; times: number };

type GraphViewProps = {
  drawing: GraphDrawing;
  lights: ReadonlyMap<string, NodeLight>;
  /** Nodes that come next where the thread stands. */
  next: ReadonlySet<string>;
  /** Nodes before or behind which a run stops. */
  stops: ReadonlySet<string>;
  selected: string | undefined;
  onSelect: (id: string) => void;
  children?: ReactNode;
};

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5];
const WHOLE = 2;

/** A graph drawn, lit where it runs. Each node is a button; the arrow keys walk from one to the next. */
export function GraphView(props: GraphViewProps) {
  const { drawing, children } = props;
  const graph = useMemo(() => placed(drawing), [drawing]);
  const place = useRef<HTMLDivElement>(null);
  const fitting = useFitting(place, graph.width);
  const [zoom, setZoom] = useState(WHOLE);
  const scale = fitting * (ZOOMS[zoom] ?? 1);
  const canvas = { width: graph.width * scale, height: graph.height * scale };
  return (
    <div className="graph" data-testid="graph">
      <div className="graph-tools">
        {children}
        <IconButton
          label={WORDS.zoomOut}
          size="small"
          align="end"
          disabled={zoom === 0}
          onClick={() => setZoom(zoom - 1)}
        >
          <ZoomOut />
        </IconButton>
        <IconButton
          label={WORDS.zoomIn}
          size="small"
          align="end"
          disabled={zoom === ZOOMS.length - 1}
          onClick={() => setZoom(zoom + 1)}
        >
          <ZoomIn />
        </IconButton>
      </div>
      <div ref={place} className="graph-scroll">
        <div className="graph-canvas" style={canvas}>
          <div className="graph-whole" style={{ width: graph.width, scale: String(scale) }}>
            <Lines graph={graph} />
            <Nodes {...props} graph={graph} />
          </div>
        </div>
      </div>
    </div>
  );
}

/** How much smaller the drawing has to be to fit across; never larger than it is. */
function useFitting(place: React.RefObject<HTMLDivElement | null>, width: number): number {
  const [room, setRoom] = useState<number>();
  useEffect(() => {
    const { current } = place;
    if (!current) return;
    const watcher = new ResizeObserver(() => setRoom(current.clientWidth));
    watcher.observe(current);
    return () => watcher.disconnect();
  }, [place]);
  return room === undefined || width === 0 ? 1 : Math.min(1, room / width);
}

function Lines({ graph }: { graph: PlacedGraph }) {
  const arrow = useId();
  return (
    <svg width={graph.width} height={graph.height} className="graph-lines" aria-hidden="true">
      <defs>
        <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8z" className="graph-arrow" />
        </marker>
      </defs>
      {graph.groups.map(({ id, label, x, y, width, height }) => (
        <g key={id}>
          <rect x={x} y={y} width={width} height={height} rx="10" className="graph-group" />
          <text x={x + 10} y={y + 15} className="graph-group-name">
            {label}
          </text>
        </g>
      ))}
      {graph.edges.map((edge) => (
        <Line key={edge.id} edge={edge} arrow={arrow} />
      ))}
    </svg>
  );
}

function Line({ edge: { path, isConditional, label }, arrow }: { edge: PlacedEdge; arrow: string }) {
  return (
    <>
      <path
        d={path}
        className={classes("graph-line", isConditional && "graph-line-conditional")}
        markerEnd={`url(#${arrow})`}
      />
      {label && (
        <text x={label.x} y={label.y + 4} className="graph-line-label">
          {label.text}
        </text>
      )}
    </>
  );
}

function Nodes(props: GraphViewProps & { graph: PlacedGraph }) {
  const { graph, selected } = props;
  const buttons = graph.nodes.filter(({ isEnd }) => !isEnd);
  // One of them is reached by Tab, and the arrows go on from there.
  const reached = buttons.some(({ id }) => id === selected) ? selected : buttons[0]?.id;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be one of a form.
    <div role="group" aria-label={WORDS.nodesOfTheGraph} onKeyDown={walk}>
      {graph.nodes.map((node) =>
        node.isEnd ? (
          <span key={node.id} className="graph-node graph-end" style={boxStyle(node)}>
            {node.label}
          </span>
        ) : (
          <NodeButton key={node.id} node={node} isReached={node.id === reached} {...props} />
        ),
      )}
    </div>
  );
}

const boxStyle = ({ x, y, width, height }: PlacedNode) => ({ left: x, top: y, width, height });

type NodeButtonProps = GraphViewProps & { node: PlacedNode; isReached: boolean };

const LIGHT_WORDS = { running: "running", done: "done", failed: "failed", waiting: "waiting" };

function NodeButton({ node, isReached, lights, next, stops, selected, onSelect }: NodeButtonProps) {
  const { id, label } = node;
  const light = lights.get(id);
  const isNext = next.has(id) && light?.state !== "running";
  const said = [light && LIGHT_WORDS[light.state], isNext && "next", stops.has(id) && "breakpoint"].filter(
    Boolean,
  );
  return (
    <button
      type="button"
      tabIndex={isReached ? 0 : -1}
      style={boxStyle(node)}
      className={classes(
        "graph-node",
        light && `graph-node-${light.state}`,
        isNext && "graph-node-next",
        id === selected && "graph-node-selected",
      )}
      aria-pressed={id === selected}
      data-testid="graph-node"
      data-node={id}
      data-state={light?.state ?? "idle"}
      title={id}
      onClick={() => onSelect(id)}
    >
      {stops.has(id) && <span className="graph-stop" aria-hidden="true" />}
      <LightSign light={light} />
      <span className="graph-node-name">{label}</span>
      {light && light.times > 1 && <span className="graph-times">×{light.times}</span>}
      {said.length > 0 && <span className="visually-hidden">, {said.join(", ")}</span>}
    </button>
  );
}

function LightSign({ light }: { light: NodeLight | undefined }) {
  switch (light?.state) {
    case "running":
      return <LoaderCircle aria-hidden="true" className="status-badge-turns" />;
    case "done":
      return <Check aria-hidden="true" />;
    case "failed":
      return <CircleAlert aria-hidden="true" />;
    case "waiting":
      return <Pause aria-hidden="true" />;
    default:
      return null;
  }
}

/** The arrows walk through the nodes in the order of the drawing. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const nodes = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const at = nodes.findIndex((node) => node.matches(":focus"));
  const steps = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1 };
  const ends = { Home: 0, End: nodes.length - 1 };
  const to = new Map<string, number>(Object.entries({ ...steps, ...ends })).get(event.key);
  if (to === undefined || at < 0) return;
  event.preventDefault();
  nodes.at(Math.max(0, Math.min(to, nodes.length - 1)))?.focus();
}
