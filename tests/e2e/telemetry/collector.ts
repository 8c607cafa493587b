type Value = { stringValue?: string; intValue?: number; boolValue?: boolean; doubleValue?: number } & {
  arrayValue?: { values: Value[] };
};
type Attribute = { key: string; value: Value };
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code?: number; message?: string };
};
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

/** A span as a collector has it. */
export type Collected = Omit<OtlpSpan, "attributes"> & {
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
};

/** A collector that takes OTLP as JSON over HTTP, and keeps what came. */
export function startCollector() {
  const spans: Collected[] = [];
  const requests: { path: string; headers: Headers }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      requests.push({ path: new URL(request.url).pathname, headers: request.headers });
      spans.push(...spansIn(await request.json()));
      return Response.json({ partialSuccess: {} });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    requests,
    of: (traceId: string) => spans.filter((span) => span.traceId === traceId),
    stop: () => void server.stop(true),
  };
}

function spansIn({ resourceSpans }: Export): Collected[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: fieldsOf(span.attributes),
        resource: fieldsOf(resource.attributes),
      })),
    ),
  );
}

const fieldsOf = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

const plain = (value: Value): unknown =>
  value.arrayValue ? value.arrayValue.values.map(plain) : Object.values(value)[0];
