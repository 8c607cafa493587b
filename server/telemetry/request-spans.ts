import {
  asked,
  type ExportedSpan,
  readTraceparent,
  type SpanContext,
  spanBelow,
  traceparentOf,
} from "./span.ts";

/** How a request was answered. */
type AnsweredRequest = { method: string; route: string | null; status: number; requestId: string };

/** A request while it is answered. */
type RequestSpan = {
  /** Names it to whoever it is passed on to. */
  traceparent: string;
  /** Whatever is begun by `work` is known to be begun by this request. */
  run<T>(work: () => T): T;
  end(answered: AnsweredRequest): void;
};

/** Makes spans of requests. */
export class RequestSpans {
  constructor(
    private readonly take: (span: ExportedSpan) => void,
    private readonly sampled: number,
  ) {}

  begin({ headers }: Request): RequestSpan {
    const parent = readTraceparent(headers.get("traceparent"));
    const context = spanBelow(parent, this.sampled);
    const startedAt = now();
    return {
      traceparent: traceparentOf(context),
      run: (work) => asked.run(context, work),
      end: (answered) => {
        if (context.isSampled) this.take(spanOf({ context, parent, startedAt }, answered));
      },
    };
  }
}

type Begun = { context: SpanContext; parent: SpanContext | undefined; startedAt: number };

/** Without the path itself: there are ids in it, and in some addresses tokens. */
function spanOf(begun: Begun, { method, route, status, requestId }: AnsweredRequest): ExportedSpan {
  const hasFailed = status >= 500;
  return {
    ...begun,
    name: route === null ? method : `${method} ${route}`,
    kind: "server",
    endedAt: now(),
    attributes: {
      "http.request.method": method,
      "http.route": route ?? undefined,
      "http.response.status_code": status,
      "error.type": hasFailed ? String(status) : undefined,
      "berth.request.id": requestId,
    },
    failure: hasFailed ? `HTTP ${status}` : undefined,
  };
}

const now = () => performance.timeOrigin + performance.now();
