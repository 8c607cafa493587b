import { useState } from "react";
import { Button, Field } from "../../../ui/index.ts";

type WordsFormProps = {
  name: string;
  label: string;
  hint: string;
  /** What the button says that sends them. */
  send: string;
  look: "primary" | "danger";
  /** Whether they may not stay empty. */
  isNeeded?: boolean;
  onCancel: () => void;
  onSend: (words: string) => void;
};

/** Words for the agent that go with a decision. */
export function WordsForm({ name, label, hint, send, look, isNeeded, onCancel, onSend }: WordsFormProps) {
  const [written, setWritten] = useState("");
  const words = written.trim();
  return (
    <form
      data-testid={`${name}-form`}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(words);
      }}
    >
      <Field label={label} hint={hint}>
        {(ids) => (
          <textarea
            {...ids}
            className="text-area ask-words"
            data-testid={`${name}-reason`}
            rows={2}
            value={written}
            onChange={(event) => setWritten(event.target.value)}
          />
        )}
      </Field>
      <div className="ask-buttons">
        <Button look={look} type="submit" data-testid={`${name}-send`} disabled={isNeeded && words === ""}>
          {send}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
