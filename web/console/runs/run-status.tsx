import { StatusBadge } from "../ui/index.ts";

/** A trace without an end is that of a run that goes on. */
export function RunStatus({ status }: { status: string }) {
  return <StatusBadge status={status === "pending" ? "running" : status} />;
}
