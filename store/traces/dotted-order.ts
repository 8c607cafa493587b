import type { SpanWrite } from "./trace.ts";

let lastAt = Number.NaN;
let lastStamp = "";

/**
 * Where a span stands among the others of its trace, in the form that LangSmith gave to it.
 * @param above the same of its parent
 */
export function dottedOrder(startTime: number, id: string, above?: string): string {
  const own = stamp(startTime) + id;
  return above === undefined ? own : `${above}.${own}`;
}

/** The spans of a run often begin in one and the same millisecond. */
function stamp(at: number): string {
  if (at !== lastAt) {
    lastAt = at;
    lastStamp = `${new Date(at).toISOString().replaceAll(/[-:.]/g, "").slice(0, -1)}000Z`;
  }
  return lastStamp;
}

/** Spans of one trace, each with its place in it. */
export function withOrders(spans: readonly SpanWrite[]): SpanWrite[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const orders = new Map<string, string>();
  const orderOf = (span: SpanWrite): string => {
    const above = byId.get(span.parent_id ?? "");
    const order = orders.get(span.id) ?? dottedOrder(span.start_time ?? 0, span.id, above && orderOf(above));
    orders.set(span.id, order);
    return order;
  };
  return spans.map((span) => ({ ...span, dotted_order: span.dotted_order || orderOf(span) }));
}
