import type { Issue } from "@berth/server";
import { BellOff, BellRing, Check, Ellipsis, Merge, Pencil, RotateCcw, Split } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button, Menu } from "../../ui/index.ts";
import { api, type ServerAction } from "../data/index.ts";
import { muteOf } from "../issue.tsx";
import { useNow } from "../ui/index.ts";
import { CloseDialog, EditDialog, MergeDialog, MuteDialog, SplitDialog } from "./issue-dialogs.tsx";

type Asked = "close" | "mute" | "edit" | "merge" | "split";

/** What people decide about an issue. */
export function IssueActions({
  issue,
  action,
  hasRevisions,
}: {
  issue: Issue;
  action: ServerAction;
  /** Its runs say which revision they are on. */
  hasRevisions: boolean;
}) {
  const [asked, setAsked] = useState<Asked>();
  const [, navigate] = useLocation();
  const isMuted = muteOf(issue, useNow()) !== "no";
  const tell = (deed: "reopen" | "unmute", done: string) =>
    action.run(() => api(`/v1/issues/${issue.id}/${deed}`, { method: "POST" }), done);
  const common = { issue, action, onClose: () => setAsked(undefined) };
  const mute = isMuted
    ? { label: "Unmute", icon: <BellRing />, onSelect: () => tell("unmute", "Unmuted"), testId: "unmute" }
    : { label: "Mute…", icon: <BellOff />, onSelect: () => setAsked("mute"), testId: "mute" };
  const split = { label: "Split…", icon: <Split />, onSelect: () => setAsked("split"), testId: "split" };
  return (
    <>
      <Menu
        label="More to do with this issue"
        icon={<Ellipsis />}
        testId="issue-menu"
        items={[
          mute,
          { label: "Merge…", icon: <Merge />, onSelect: () => setAsked("merge"), testId: "merge" },
          ...(issue.fingerprints.length > 1 ? [split] : []),
        ]}
      />
      <Button icon={<Pencil />} onClick={() => setAsked("edit")} data-testid="edit">
        Edit
      </Button>
      {issue.status === "open" ? (
        <Button look="primary" icon={<Check />} onClick={() => setAsked("close")} data-testid="close">
          Close
        </Button>
      ) : (
        <Button
          look="primary"
          icon={<RotateCcw />}
          disabled={action.busy}
          onClick={() => tell("reopen", "Opened again")}
          data-testid="reopen"
        >
          Reopen
        </Button>
      )}
      {asked === "close" && <CloseDialog {...common} hasRevisions={hasRevisions} />}
      {asked === "mute" && <MuteDialog {...common} />}
      {asked === "edit" && <EditDialog {...common} />}
      {asked === "merge" && <MergeDialog {...common} onMerged={({ id }) => navigate(`/issues/${id}`)} />}
      {asked === "split" && (
        <SplitDialog {...common} traceIds={[]} onSplit={({ id }) => navigate(`/issues/${id}`)} />
      )}
    </>
  );
}
