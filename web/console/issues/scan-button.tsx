import type { EngineRun, EngineRunsPage } from "@berth/server";
import { Radar } from "lucide-react";
import { Button, type Toast, useToast } from "../../ui/index.ts";
import { api, useAction } from "../data/index.ts";

/** Lets the engine look at what is new, now: of one project or of all. */
export function ScanButton({ sessionId }: { sessionId?: string }) {
  const { run, busy } = useAction();
  const toast = useToast();
  const scan = () =>
    run(async () => {
      const body = sessionId === undefined ? {} : { session_id: sessionId };
      const { resources } = await api<EngineRunsPage>("/v1/engine/scan", {
        method: "POST",
        body,
      });
      toast(tellOf(resources));
    });
  return (
    <Button icon={<Radar />} disabled={busy} onClick={scan} data-testid="scan">
      {busy ? "Scanning…" : "Scan now"}
    </Button>
  );
}

/** What scans came to, in a line. */
export function tellOf(scans: readonly EngineRun[]): Toast {
  const failed = scans.find(({ status }) => status === "error" || status === "timeout");
  if (failed) return { text: `A scan failed: ${failed.error_message ?? failed.status}`, look: "negative" };
  const sum = (of: (scan: EngineRun) => number) => scans.reduce((total, scan) => total + of(scan), 0);
  const scanned = sum((scan) => scan.scanned);
  if (scanned === 0) return { text: "There was nothing new to look at" };
  const parts = [
    `Looked at ${counted(scanned, "trace")}`,
    sum((scan) => scan.opened) > 0 &&
      `opened ${counted(
        sum((scan) => scan.opened),
        "issue",
      )}`,
    sum((scan) => scan.reopened) > 0 && `reopened ${sum((scan) => scan.reopened)}`,
    sum((scan) => scan.linked) > 0 &&
      `linked ${counted(
        sum((scan) => scan.linked),
        "trace",
      )}`,
  ];
  return { text: parts.filter(Boolean).join(", ") };
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? "" : "s"}`;
