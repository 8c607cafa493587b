import type { Assistant } from "@berth/server";
import { History, PanelLeftOpen, SlidersHorizontal } from "lucide-react";
import { IconButton } from "../../ui/index.ts";
import { AssistantPicker } from "../settings/assistant-picker.tsx";

type ChatHeaderProps = {
  title: string;
  sidebarToggle: (() => void) | undefined;
  assistants: readonly Assistant[] | undefined;
  assistantId: string | undefined;
  onAssistant: (assistantId: string) => void;
  isHistoryOpen: boolean;
  onHistory: () => void;
  /** Why there is nothing to set, once that is known. */
  noSettings: string | undefined;
  /** The reader is about to open them. */
  onNearSettings: () => void;
  onSettings: () => void;
};

/** What stands above a conversation: whom it is held with, how, and the way to its history. */
export function ChatHeader({
  title,
  sidebarToggle,
  assistants,
  assistantId,
  onAssistant,
  ...rest
}: ChatHeaderProps) {
  return (
    <header className="chat-header">
      <h1 className="visually-hidden">{title}</h1>
      {sidebarToggle && (
        <IconButton
          label="Show conversations"
          onClick={sidebarToggle}
          data-testid="open-sidebar"
          align="start"
        >
          <PanelLeftOpen />
        </IconButton>
      )}
      <AssistantPicker assistants={assistants} value={assistantId} onChange={onAssistant} />
      <span className="chat-header-gap" />
      <IconButton
        label={rest.noSettings ?? "Settings"}
        onPointerEnter={rest.onNearSettings}
        onFocus={rest.onNearSettings}
        onClick={rest.onSettings}
        disabled={!assistantId || rest.noSettings !== undefined}
        data-testid="open-settings"
      >
        <SlidersHorizontal />
      </IconButton>
      <IconButton
        label="History"
        align="end"
        aria-pressed={rest.isHistoryOpen}
        onClick={rest.onHistory}
        data-testid="open-history"
      >
        <History />
      </IconButton>
    </header>
  );
}
