import type { IssuesPage, Session, WholeTrace } from "@berth/server";
import { MessagesSquare, RotateCcw, Trash2 } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { base } from "../../../api/index.ts";
import { Badge, Button } from "../../../ui/index.ts";
import { api, useAction, useAddressQuery, useLive, useResource } from "../../data/index.ts";
import { Ago, ConfirmDialog, Duration, Loading, PageHead, Problem } from "../../ui/index.ts";
import { RunStatus } from "../run-status.tsx";
import { retryRun, type SpanPlace, traceArrived, usePlace } from "./rerun.ts";
import { SpanDetail } from "./span-detail.tsx";
import { hasFailed } from "./span-rows.ts";
import { SpanTree } from "./span-tree.tsx";
import "./trace.css";

/** One run: what it did, when, with what, and what came of it. */
export function TraceScreen() {
  const { id = "" } = useParams<{ id: string }>();
  const { data: trace, error, refresh } = useResource<WholeTrace>(`/v1/traces/${id}`);
  // Large, so it is asked for again only while there is more to come.
  useLive(trace && trace.end_time === null ? ["traces"] : [], refresh);
  const { session, place, threadGone } = usePlace(trace);
  if (error && !trace)
    return (
      <>
        <PageHead title="Run" back={{ href: "/runs", label: "Runs" }} />
        <Problem error={error} retry={refresh} />
      </>
    );
  if (!trace) return <Loading label="Loading the trace" />;
  return (
    <>
      <PageHead
        title={trace.name || "Run"}
        back={{ href: backHref(session), label: "Runs" }}
        sub={<Summary trace={trace} session={session} />}
        actions={
          <>
            <DeleteTrace id={trace.id} back={backHref(session)} />
            <TraceActions place={place} />
          </>
        }
      />
      <Notes trace={trace} threadGone={threadGone} />
      <TraceBody key={trace.id} trace={trace} place={place} />
    </>
  );
}

type TraceBodyProps = { trace: WholeTrace; place: ReturnType<typeof usePlace>["place"] };

function TraceBody({ trace: { spans }, trace, place }: TraceBodyProps) {
  const [chosen, choose] = useChosenSpan(trace.id);
  const span = useMemo(() => spans.find(({ id }) => id === chosen) ?? spans[0], [spans, chosen]);
  // Whoever holds an arrow down walks on at once, and reads where the walk ends.
  const read = useDeferredValue(span);
  if (!span || !read) return <p className="trace-nothing">Nothing has arrived of this run yet.</p>;
  return (
    <div className="trace">
      <SpanTree spans={spans} selectedId={span.id} onSelect={choose} />
      <SpanDetail trace={trace} span={read} place={place} />
    </div>
  );
}

/** Browsers let a page change its address a hundred times in half a minute: an arrow that is held down does more. */
const SETTLED_MS = 300;

/** The span that the address names, otherwise the run as a whole. */
function useChosenSpan(traceId: string) {
  const query = useAddressQuery();
  const latest = useRef(query);
  latest.current = query;
  const [chosen, choose] = useState(() => query.get("span") || traceId);
  useEffect(() => {
    const named = chosen === traceId ? "" : chosen;
    if (latest.current.get("span") === named) return;
    const timer = setTimeout(() => latest.current.set({ span: named }), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [chosen, traceId]);
  return [chosen, choose] as const;
}

const numbers = new Intl.NumberFormat();

function Summary({ trace, session }: { trace: WholeTrace; session: Session | undefined }) {
  const { status, start_time, latency_ms, total_tokens, input_tokens, output_tokens, tags } = trace;
  const failed = useMemo(() => trace.spans.filter(hasFailed).length, [trace.spans]);
  const { data } = useResource<IssuesPage>(`/v1/issues?trace_id=${trace.id}&limit=20`, { live: ["issues"] });
  return (
    <>
      <RunStatus status={status} />
      {failed > 0 && (
        <span className="trace-failed" data-testid="spans-failed">
          {failed} of {trace.spans.length} {trace.spans.length === 1 ? "span" : "spans"} failed
        </span>
      )}
      <Ago at={start_time} />
      {latency_ms !== null && <Duration ms={latency_ms} />}
      {total_tokens > 0 && (
        <span title={`${numbers.format(input_tokens)} in, ${numbers.format(output_tokens)} out`}>
          {numbers.format(total_tokens)} tokens
        </span>
      )}
      {session && <span>{session.name}</span>}
      {tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {data?.resources.map(({ id, name }) => (
        <Link key={id} href={`/issues/${id}`} className="trace-issue" data-testid="trace-issue">
          Issue: {name}
        </Link>
      ))}
    </>
  );
}

function Notes({ trace, threadGone }: { trace: WholeTrace; threadGone: boolean }) {
  const { dropped_spans, dropped_bodies } = trace;
  const notes = [
    dropped_spans > 0 && `${dropped_spans} more spans were not kept: a trace has 2,000 at most.`,
    dropped_bodies > 0 && `Inputs and outputs of ${dropped_bodies} spans were too much to be kept.`,
    trace.metadata.content_deleted === true &&
      "Its thread was deleted, and with it what was said: inputs, outputs and the words of errors.",
    threadGone && "Its thread is not kept any more, so the run cannot be opened, forked or repeated.",
  ].filter((note) => note !== false);
  return notes.map((note) => (
    <p key={note} className="trace-note">
      {note}
    </p>
  ));
}

/** Back to the runs of the project that this one is of. */
function backHref(session: Session | undefined): string {
  if (!session || session.served) return "/runs";
  const { deployment_id, id } = session;
  return deployment_id === null ? `/runs?session_id=${id}` : `/runs?at=${deployment_id}`;
}

/** What can be done about a run whose thread is here. */
function TraceActions({ place }: { place: SpanPlace | undefined }) {
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  if (!place) return null;
  const retry = async () => {
    const started = await run(() => retryRun(place), "The run was started again.");
    if (!started) return;
    if (await traceArrived(started)) navigate(`/traces/${started.run_id}`);
    else navigate(`/runs?thread_id=${started.thread_id}&session_id=all`);
  };
  return (
    <>
      <a
        className="button button-plain"
        href={`${base}${place.base}/chat/${place.threadId}`}
        data-testid="open-thread"
      >
        <MessagesSquare />
        Thread
      </a>
      <Button icon={<RotateCcw />} disabled={busy} onClick={retry} data-testid="retry">
        Retry
      </Button>
    </>
  );
}

/** Deletes what a run left behind, once somebody has said so twice. */
function DeleteTrace({ id, back }: { id: string; back: string }) {
  const [isAsked, setAsked] = useState(false);
  const [, navigate] = useLocation();
  const { run, busy } = useAction();
  const remove = () =>
    run(async () => {
      await api(`/v1/traces/${id}`, { method: "DELETE" });
      navigate(back);
    }, "The trace was deleted.");
  return (
    <>
      <Button icon={<Trash2 />} onClick={() => setAsked(true)} data-testid="delete-trace">
        Delete
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="Delete this trace"
          text="Its spans, inputs, outputs and feedback are gone for good. The thread and its messages stay."
          confirmText="Delete trace"
          busy={busy}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
