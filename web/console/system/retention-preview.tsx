import type { KeptKind, Retention, Sweep } from "@berth/server";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, useToast } from "../../ui/index.ts";
import { api, useAction, useResource } from "../data/index.ts";
import {
  bytesText,
  type Column,
  ConfirmDialog,
  durationText,
  Loading,
  Problem,
  Section,
  Table,
} from "../ui/index.ts";
import { WORDS } from "./words.tsx";

const columns: Column<KeptKind>[] = [
  { name: WORDS.what, width: "minmax(9rem, 1.4fr)", cell: ({ title }) => title },
  { name: WORDS.keptFor, width: "minmax(8rem, 1.2fr)", cell: ({ keeps }) => keeps },
  {
    name: WORDS.setBy,
    width: "minmax(10rem, 1.6fr)",
    cell: ({ setting }) =>
      setting === null ? <span className="never">{WORDS.fixed}</span> : <code>{setting}</code>,
  },
  { name: WORDS.rows, align: "end", width: "6rem", cell: ({ rows }) => countText(rows) },
  { name: WORDS.dueNow, align: "end", width: "8rem", cell: ({ now }) => <Going portion={now} /> },
  {
    name: WORDS.dueWithinADay,
    align: "end",
    width: "8rem",
    cell: ({ next_day }) => <Going portion={next_day} />,
  },
];

/** Counting ends there. */
const MOST_COUNTED = 100_000;

const countText = (count: number) =>
  count >= MOST_COUNTED ? WORDS.orMore(MOST_COUNTED.toLocaleString()) : count.toLocaleString();

function Going({ portion: { count, bytes } }: { portion: KeptKind["now"] }) {
  if (count === 0) return <span className="never">–</span>;
  return (
    <span>
      {countText(count)}
      {bytes !== null && <span className="never"> · {bytesText(bytes)}</span>}
    </span>
  );
}

/** What is kept for how long, and what goes next. */
export function RetentionPreview() {
  const { data, error, loading, refresh } = useResource<Retention>("/v1/system/retention", { once: true });
  if (error) return <Problem error={error} retry={refresh} />;
  if (loading || !data) return <Loading />;
  const due = data.kinds.reduce((sum, { now }) => sum + now.count, 0);
  return (
    <Section
      title={WORDS.whatIsDeletedWhen}
      note={WORDS.retentionNote}
      actions={<SweepButton due={due} swept={refresh} />}
    >
      <Table
        label={WORDS.retention}
        columns={columns}
        rows={data.kinds}
        rowKey={({ kind }) => kind}
        testId="retention"
      />
    </Section>
  );
}

function SweepButton({ due, swept }: { due: number; swept: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const { run, busy } = useAction();
  const toast = useToast();
  const sweep = async () => {
    const result = await run(() => api<Sweep>("/v1/system/retention/sweep", { method: "POST" }));
    if (!result) return;
    const removed = result.kinds.reduce((sum, kind) => sum + kind.removed, 0);
    toast({ text: WORDS.deletedIn(removed.toLocaleString(), durationText(result.took_ms)) });
    swept();
  };
  return (
    <>
      <Button
        size="small"
        icon={<Trash2 />}
        disabled={busy}
        onClick={() => setAsked(true)}
        data-testid="sweep"
      >
        {WORDS.deleteNow}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={WORDS.deleteWhatIsDue}
          text={<p>{WORDS.deleteNote(countText(due))}</p>}
          confirmText={WORDS.delete}
          busy={busy}
          onConfirm={sweep}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
