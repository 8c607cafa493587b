import type { CurrentState } from "@berth/server";
import { Activity, MessagesSquare, Trash2, Workflow } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { base as here } from "../../../api/index.ts";
import { Button, Dialog } from "../../../ui/index.ts";
import { api, useAction, useResource } from "../../data/index.ts";
import { studioHref } from "../../studio-link.ts";
import {
  Ago,
  ConfirmDialog,
  CopyButton,
  Facts,
  JsonView,
  Loading,
  Problem,
  Section,
  StatusBadge,
} from "../../ui/index.ts";
import { SpanValue } from "../trace/index.ts";
import { WORDS } from "../words.tsx";
import { type FoundThread, THREAD_FIELDS, THREAD_WORDS } from "./threads.ts";
import { titleOf } from "./titles.ts";

type ThreadPreviewProps = {
  threadId: string;
  /** In front of the Agent Server's paths. */
  base: string;
  title: string | undefined;
  onClose: () => void;
};

/** A thread as it is now: its conversation, the rest of its state, and what can be done about it. */
export function ThreadPreview({ threadId, base, title, onClose }: ThreadPreviewProps) {
  const [isDeleting, setDeleting] = useState(false);
  // A search, since asking for one that is gone is told as an error by the browser.
  const search = useResource<FoundThread[]>(`${base}/threads/search`, {
    body: { ids: [threadId], limit: 1, select: THREAD_FIELDS, extract: { first: THREAD_WORDS.first } },
    exact: true,
    live: ["threads", "traces"],
  });
  const thread = search.data?.[0];
  const state = useResource<CurrentState>(thread ? `${base}/threads/${threadId}/state` : null, {
    live: ["threads", "traces"],
  });
  const path = `${base}/threads/${threadId}`;
  if (isDeleting) return <DeleteThread path={path} onDeleted={onClose} onClose={() => setDeleting(false)} />;
  const name = thread ? titleOf(thread, title ? new Map([[threadId, title]]) : undefined) : WORDS.thread;
  return (
    <Dialog
      title={name}
      look="wide"
      onClose={onClose}
      testId="thread-preview"
      actions={thread && <Actions thread={thread} base={base} onDelete={() => setDeleting(true)} />}
    >
      <div className="thread-preview">
        {search.error && <Problem error={search.error} retry={search.refresh} />}
        {search.loading && <Loading label={WORDS.loadingTheThread} />}
        {search.data?.length === 0 && <p className="trace-nothing">{WORDS.threadGone}</p>}
        {thread && <ThreadFacts thread={thread} next={state.data?.next ?? []} />}
        {state.error && <Problem error={state.error} retry={state.refresh} />}
        {state.data && <SpanValue title={WORDS.state} value={state.data.values} testId="thread-state" />}
        {thread && (
          <details className="span-metadata">
            <summary>{WORDS.metadata}</summary>
            <JsonView value={thread.metadata} label={WORDS.metadata} />
          </details>
        )}
      </div>
    </Dialog>
  );
}

type DeleteThreadProps = { path: string; onDeleted: () => void; onClose: () => void };

function DeleteThread({ path, onDeleted, onClose }: DeleteThreadProps) {
  const { run, busy } = useAction();
  return (
    <ConfirmDialog
      title={WORDS.deleteThisThread}
      text={WORDS.deleteThreadNote}
      confirmText={WORDS.delete}
      busy={busy}
      onConfirm={() => run(() => api(path, { method: "DELETE" }), WORDS.threadDeleted).then(onDeleted)}
      onClose={onClose}
    />
  );
}

type ActionsProps = { thread: FoundThread; base: string; onDelete: () => void };

function Actions({ thread, base, onDelete }: ActionsProps) {
  const { thread_id: threadId } = thread;
  const at = base.replace(/^\/d\//, "");
  const runs = `/runs?thread_id=${threadId}${at && `&at=${at}`}`;
  return (
    <>
      <Button look="danger" icon={<Trash2 />} onClick={onDelete} data-testid="delete-thread">
        {WORDS.delete}
      </Button>
      <Link className="button button-plain" href={runs} data-testid="thread-runs">
        <Activity />
        {WORDS.runsTitle}
      </Link>
      <Link
        className="button button-plain"
        href={studioHref({ base, threadId, assistantId: thread.metadata.assistant_id })}
        data-testid="thread-studio"
      >
        <Workflow />
        {WORDS.studio}
      </Link>
      <a className="button button-primary" href={`${here}${base}/chat/${threadId}`} data-testid="thread-chat">
        <MessagesSquare />
        {WORDS.openInTheChat}
      </a>
    </>
  );
}

function ThreadFacts({ thread, next }: { thread: FoundThread; next: readonly string[] }) {
  const { thread_id, status, created_at, updated_at, interrupts, error } = thread;
  const questions = Object.values(interrupts ?? {}).flat();
  return (
    <>
      <Facts
        items={[
          { label: WORDS.status, value: <StatusBadge status={status} /> },
          { label: WORDS.created, value: <Ago at={created_at} /> },
          { label: WORDS.changed, value: <Ago at={updated_at} /> },
          ...(next.length > 0 ? [{ label: WORDS.next, value: next.join(", ") }] : []),
          {
            label: WORDS.id,
            value: (
              <span className="thread-id">
                <code>{thread_id}</code>
                <CopyButton text={thread_id} label={WORDS.copyTheId} />
              </span>
            ),
          },
        ]}
      />
      {error?.message && (
        <div className="span-error" role="note">
          <div>
            <strong>{error.error || WORDS.error}</strong>
            <pre>{error.message}</pre>
          </div>
        </div>
      )}
      {questions.length > 0 && (
        <Section title={WORDS.waitingForAnAnswer}>
          <JsonView value={questions.length === 1 ? questions[0] : questions} label={WORDS.interrupts} />
        </Section>
      )}
    </>
  );
}
