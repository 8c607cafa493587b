import type { Issue } from "@berth/server";
import { BellOff, BellRing, Check, Ellipsis, Merge, Pencil, RotateCcw, Split } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button, Menu } from "../../ui/index.ts";
import { api, type ServerAction } from "../data/index.ts";
import { muteOf } from "../issue.tsx";
import { useNow } from "../ui/index.ts";
import { CloseDialog, EditDialog, MergeDialog, MuteDialog, SplitDialog } from "./issue-dialogs.tsx";
import { WORDS } from "./words.tsx";

type Asked = "close" | "mute" | "edit" | "merge" | "split";

type IssueActionsProps = {
  issue: Issue;
  action: ServerAction;
  /** Its runs say which revision they are on. */
  hasRevisions: boolean;
};

/** What people decide about an issue. */
export function IssueActions({ issue, action, hasRevisions }: IssueActionsProps) {
  const [asked, setAsked] = useState<Asked>();
  const isMuted = muteOf(issue, useNow()) !== "no";
  const tell = (deed: "reopen" | "unmute", done: string) =>
    action.run(() => api(`/v1/issues/${issue.id}/${deed}`, { method: "POST" }), done);
  const common = { issue, onClose: () => setAsked(undefined) };
  const mute = isMuted
    ? {
        label: WORDS.unmute,
        icon: <BellRing />,
        onSelect: () => tell("unmute", WORDS.unmuted),
        testId: "unmute",
      }
    : { label: WORDS.mute, icon: <BellOff />, onSelect: () => setAsked("mute"), testId: "mute" };
  const split = { label: WORDS.split, icon: <Split />, onSelect: () => setAsked("split"), testId: "split" };
  return (
    <>
      <Button icon={<Pencil />} onClick={() => setAsked("edit")} data-testid="edit">
        {WORDS.edit}
      </Button>
      {issue.status === "open" ? (
        <Button look="primary" icon={<Check />} onClick={() => setAsked("close")} data-testid="close">
          {WORDS.close}
        </Button>
      ) : (
        <Button
          look="primary"
          icon={<RotateCcw />}
          disabled={action.busy}
          onClick={() => tell("reopen", WORDS.openedAgain)}
          data-testid="reopen"
        >
          {WORDS.reopen}
        </Button>
      )}
      <Menu
        label={WORDS.moreActions}
        icon={<Ellipsis />}
        testId="issue-menu"
        items={[
          mute,
          { label: WORDS.merge, icon: <Merge />, onSelect: () => setAsked("merge"), testId: "merge" },
          ...(issue.fingerprints.length > 1 ? [split] : []),
        ]}
      />
      {asked && <Question {...common} asked={asked} hasRevisions={hasRevisions} />}
    </>
  );
}

type QuestionProps = Omit<IssueActionsProps, "action"> & { asked: Asked; onClose: () => void };

function Question({ asked, hasRevisions, ...common }: QuestionProps) {
  const [, navigate] = useLocation();
  const goTo = ({ id }: Issue) => navigate(`/issues/${id}`);
  switch (asked) {
    case "close":
      return <CloseDialog {...common} hasRevisions={hasRevisions} />;
    case "mute":
      return <MuteDialog {...common} />;
    case "edit":
      return <EditDialog {...common} />;
    case "merge":
      return <MergeDialog {...common} onMerged={goTo} />;
    case "split":
      return <SplitDialog {...common} traceIds={[]} onSplit={goTo} />;
  }
}
