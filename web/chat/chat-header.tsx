import type { Assistant } from "@berth/server";
import { Bot, History, PanelLeftOpen, SlidersHorizontal } from "lucide-react";
import { IconButton } from "../ui/index.ts";
import { WORDS } from "./words.tsx";
import "./settings/settings.css";

type ChatHeaderProps = {
  title: string;
  sidebarToggle: (() => void) | undefined;
  assistants: readonly Assistant[] | undefined;
  assistantId: string | undefined;
  onAssistant: (assistantId: string) => void;
  isHistoryOpen: boolean;
  onHistory: () => void;
  /** Some settings have a value for this conversation. */
  areSettingsSet: boolean;
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
          label={WORDS.showConversations}
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
        label={rest.noSettings ?? (rest.areSettingsSet ? WORDS.settingsSomeAreSet : WORDS.settings)}
        className={rest.areSettingsSet ? "icon-button-marked" : undefined}
        onPointerEnter={rest.onNearSettings}
        onFocus={rest.onNearSettings}
        onClick={rest.onSettings}
        disabled={!assistantId || rest.noSettings !== undefined}
        data-testid="open-settings"
      >
        <SlidersHorizontal />
      </IconButton>
      <IconButton
        label={WORDS.history}
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

type AssistantPickerProps = {
  assistants: readonly Assistant[] | undefined;
  value: string | undefined;
  onChange: (assistantId: string) => void;
};

/** Chooses whom the conversation is held with. */
function AssistantPicker({ assistants, value, onChange }: AssistantPickerProps) {
  if (!assistants || assistants.length === 0) return <span className="assistant-picker" />;
  return (
    <label className="assistant-picker">
      <Bot />
      <span className="visually-hidden">{WORDS.assistant}</span>
      <select
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value)}
        data-testid="assistant-picker"
        disabled={assistants.length === 1}
      >
        {/* An older conversation, before it is known whom it was held with. */}
        {value === undefined && <option value="">{WORDS.assistant}</option>}
        {assistants.map(({ assistant_id, name, graph_id }) => (
          <option key={assistant_id} value={assistant_id}>
            {name === graph_id ? name : `${name} (${graph_id})`}
          </option>
        ))}
      </select>
    </label>
  );
}
