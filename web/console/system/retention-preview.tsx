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

const columns: Column<KeptKind>[] = [
  { name: "What", width: "minmax(9rem, 1.4fr)", cell: ({ title }) => title },
  { name: "Is kept", width: "minmax(8rem, 1.2fr)", cell: ({ keeps }) => keeps },
  {
    name: "Set by",
    width: "minmax(10rem, 1.6fr)",
    cell: ({ setting }) => (setting === null ? <span className="never">fixed</span> : <code>{setting}</code>),
  },
  { name: "There are", align: "end", width: "6rem", cell: ({ rows }) => countText(rows) },
  { name: "Go now", align: "end", width: "8rem", cell: ({ now }) => <Going portion={now} /> },
  { name: "Within a day", align: "end", width: "8rem", cell: ({ next_day }) => <Going portion={next_day} /> },
];

/** Counting ends there. */
const MOST_COUNTED = 100_000;

const countText = (count: number) =>
  count >= MOST_COUNTED ? `${MOST_COUNTED.toLocaleString()} or more` : count.toLocaleString();

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
      title="What goes when"
      note="What is over goes by itself, a portion at a time."
      actions={<SweepButton due={due} swept={refresh} />}
    >
      <Table
        label="Retention"
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
    toast({ text: `${removed.toLocaleString()} removed in ${durationText(result.took_ms)}` });
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
        Remove now
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="Remove what is over now?"
          text={
            <p>About {countText(due)} rows are over and go for good. They would go by themselves, too.</p>
          }
          confirmText="Remove"
          busy={busy}
          onConfirm={sweep}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
