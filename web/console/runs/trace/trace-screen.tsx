import type { IssuesPage, Session, WholeTrace } from "@berth/server";
import { MessagesSquare, RotateCcw, Trash2 } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { base } from "../../../api/index.ts";
import { Badge, Button } from "../../../ui/index.ts";
import { api, useAction, useAddressQuery, useLive, useResource } from "../../data/index.ts";
import { Ago, ConfirmDialog, Duration, Loading, PageHead, Problem } from "../../ui/index.ts";
import { RunStatus } from "../run-status.tsx";
import { WORDS } from "../words.tsx";
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
        <PageHead title={WORDS.run} back={{ href: "/runs", label: WORDS.runsTitle }} />
        <Problem error={error} retry={refresh} />
      </>
    );
  if (!trace) return <Loading label={WORDS.loadingTheTrace} />;
  return (
    <>
      <PageHead
        title={trace.name || WORDS.run}
        back={{ href: backHref(session), label: WORDS.runsTitle }}
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
  if (!span || !read) return <p className="trace-nothing">{WORDS.nothingArrived}</p>;
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
          {WORDS.ofFailed(failed, trace.spans.length)}
        </span>
      )}
      <Ago at={start_time} />
      {latency_ms !== null && <Duration ms={latency_ms} />}
      {total_tokens > 0 && (
        <span title={WORDS.tokensInOut(numbers.format(input_tokens), numbers.format(output_tokens))}>
          {WORDS.tokenCount(numbers.format(total_tokens))}
        </span>
      )}
      {session && <span>{session.name}</span>}
      {tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {data?.resources.map(({ id, name }) => (
        <Link key={id} href={`/issues/${id}`} className="trace-issue" data-testid="trace-issue">
          {WORDS.issue(name)}
        </Link>
      ))}
    </>
  );
}

function Notes({ trace, threadGone }: { trace: WholeTrace; threadGone: boolean }) {
  const { dropped_spans, dropped_bodies } = trace;
  const notes = [
    dropped_spans > 0 && WORDS.spansNotKept(dropped_spans),
    dropped_bodies > 0 && WORDS.bodiesNotKept(dropped_bodies),
    trace.metadata.content_deleted === true && WORDS.threadDeletedNote,
    threadGone && WORDS.threadGoneNote,
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
    const started = await run(() => retryRun(place), WORDS.runStartedAgain);
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
        {WORDS.thread}
      </a>
      <Button icon={<RotateCcw />} disabled={busy} onClick={retry} data-testid="retry">
        {WORDS.retry}
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
    }, WORDS.traceDeleted);
  return (
    <>
      <Button icon={<Trash2 />} onClick={() => setAsked(true)} data-testid="delete-trace">
        {WORDS.delete}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={WORDS.deleteThisTrace}
          text={WORDS.deleteTraceNote}
          confirmText={WORDS.deleteTrace}
          busy={busy}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
