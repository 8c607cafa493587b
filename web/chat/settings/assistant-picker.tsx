import type { Assistant } from "@berth/server";
import { Bot } from "lucide-react";
import "./settings.css";

type AssistantPickerProps = {
  assistants: readonly Assistant[] | undefined;
  value: string | undefined;
  onChange: (assistantId: string) => void;
};

/** Chooses whom the conversation is held with. */
export function AssistantPicker({ assistants, value, onChange }: AssistantPickerProps) {
  if (!assistants || assistants.length === 0) return <span className="assistant-picker" />;
  return (
    <label className="assistant-picker">
      <Bot />
      <span className="visually-hidden">Assistant</span>
      <select
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value)}
        data-testid="assistant-picker"
        disabled={assistants.length === 1}
      >
        {/* An older conversation, before it is known whom it was held with. */}
        {value === undefined && <option value="">Assistant</option>}
        {assistants.map(({ assistant_id, name, graph_id }) => (
          <option key={assistant_id} value={assistant_id}>
            {name === graph_id ? name : `${name} (${graph_id})`}
          </option>
        ))}
      </select>
    </label>
  );
}
