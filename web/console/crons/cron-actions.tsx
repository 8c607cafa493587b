import type { Cron } from "@berth/server";
import { List, MoreHorizontal, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Menu } from "../../ui/index.ts";
import { api, changedQuery, useAction } from "../data/index.ts";
import { ConfirmDialog } from "../ui/index.ts";
import { scheduleWords } from "./schedule-words.ts";

type CronActionsProps = { cron: Cron; base: string; at: string | null };

/** Turning a cron on and off, and taking it away. */
export function CronActions({ cron, base, at }: CronActionsProps) {
  const { cron_id, enabled, schedule } = cron;
  const { run, busy } = useAction();
  const [isDeleting, setDeleting] = useState(false);
  const [, navigate] = useLocation();
  const path = `${base}/runs/crons/${cron_id}`;
  const words = scheduleWords(schedule) ?? schedule;
  const turn = () =>
    run(
      () => api(path, { method: "PATCH", body: { enabled: !enabled } }),
      enabled ? "It does not run any more." : "It runs again, from its next time on.",
    );
  return (
    <span className="cron-actions">
      <label className="switch">
        <input
          type="checkbox"
          checked={enabled}
          disabled={busy}
          aria-label={`Enabled: ${words}`}
          data-testid="cron-enabled"
          onChange={turn}
        />
      </label>
      <Menu
        label={`Actions for: ${words}`}
        icon={<MoreHorizontal />}
        size="small"
        testId="cron-menu"
        items={[
          ...(cron.thread_id === null
            ? []
            : [
                {
                  label: "Show its thread",
                  icon: <List />,
                  onSelect: () => navigate(`/threads${changedQuery("", { at, thread: cron.thread_id })}`),
                },
              ]),
          {
            label: "Delete…",
            icon: <Trash2 />,
            look: "danger" as const,
            testId: "cron-delete",
            onSelect: () => setDeleting(true),
          },
        ]}
      />
      {isDeleting && (
        <ConfirmDialog
          title="Delete this cron?"
          text={<p>“{words}” fires no more. Runs that it has started go on.</p>}
          confirmText="Delete"
          onConfirm={() => run(() => api(path, { method: "DELETE" }), "The cron is deleted.")}
          onClose={() => setDeleting(false)}
        />
      )}
    </span>
  );
}
