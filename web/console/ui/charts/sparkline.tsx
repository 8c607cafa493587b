import "./charts.css";

const WIDTH = 96;
const HEIGHT = 24;
const EDGE = 2;

type SparklineProps = {
  values: readonly (number | null)[];
  /** What it shows, with the newest value: those who cannot see it get nothing else. */
  label: string;
  look?: "accent" | "negative";
};

/** A line as small as a word. */
export function Sparkline({ values, label, look = "accent" }: SparklineProps) {
  const points = sparkPoints(values);
  return (
    <svg
      className={`sparkline sparkline-${look}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {points.length === 0 ? (
        <line x1={EDGE} x2={WIDTH - EDGE} y1={HEIGHT - EDGE} y2={HEIGHT - EDGE} className="sparkline-none" />
      ) : (
        <polyline points={points.map(([x, y]) => `${x},${y}`).join(" ")} />
      )}
    </svg>
  );
}

/** Where the values are in the picture; gaps are left out, and nothing is drawn of fewer than two. */
export function sparkPoints(values: readonly (number | null)[]): [x: number, y: number][] {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return [];
  const most = Math.max(...known, 0);
  const least = Math.min(...known, 0);
  const span = most - least || 1;
  const step = (WIDTH - 2 * EDGE) / (values.length - 1);
  return values.flatMap((value, at) => {
    if (value === null) return [];
    const height = ((value - least) / span) * (HEIGHT - 2 * EDGE);
    return [[round(EDGE + at * step), round(HEIGHT - EDGE - height)] as [number, number]];
  });
}

const round = (value: number) => Math.round(value * 10) / 10;
