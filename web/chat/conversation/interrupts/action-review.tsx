import { Check, EyeOff, MessageSquare, Pencil, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Markdown } from "../../../markdown/index.ts";
import { Button } from "../../../ui/index.ts";
import { ArgsFields } from "./args-fields.tsx";
import type { Action, Decision, Verdict } from "./payload.ts";
import { WordsForm } from "./words-form.tsx";

type ActionReviewProps = {
  action: Action;
  /** What was decided before, when there is more than one to decide. */
  verdict: Verdict | undefined;
  disabled: boolean;
  onDecide: (verdict: Verdict) => void;
};

/** Decisions that want something written first. */
type Form = "edit" | "reject" | "respond";

/** One call, and what may be decided about it. Some decisions open a form first. */
export function ActionReview({ action, verdict, disabled, onDecide }: ActionReviewProps) {
  const [form, setForm] = useState<Form>();
  const close = () => setForm(undefined);
  const decide = (decided: Verdict) => {
    close();
    onDecide(decided);
  };
  return (
    <div className="ask-action">
      <p className="ask-tool">
        <code>{action.name}</code>
        {verdict && <span className="ask-verdict">{WORDS[verdict.type]}</span>}
      </p>
      {action.description && !isBoilerplate(action) && (
        <div className="ask-text">
          <Markdown text={action.description} />
        </div>
      )}
      {form === "edit" ? (
        <EditForm
          action={action}
          onCancel={close}
          onSave={(args) => decide({ type: "edit", edited_action: { name: action.name, args } })}
        />
      ) : (
        <ArgsTable args={verdict?.type === "edit" ? verdict.edited_action.args : action.args} />
      )}
      {form === "reject" && (
        <WordsForm
          name="reject"
          label="Why not?"
          hint="The agent reads this. It may stay empty."
          send="Reject"
          look="danger"
          onCancel={close}
          onSend={(message) => decide({ type: "reject", ...(message && { message }) })}
        />
      )}
      {form === "respond" && (
        <WordsForm
          name="respond"
          label="Your answer"
          hint="The agent reads this."
          send="Send"
          look="primary"
          isNeeded
          onCancel={close}
          onSend={(message) => decide({ type: "respond", message })}
        />
      )}
      {form === undefined && (
        <div className="ask-buttons">
          {action.allowed.map((decision) => (
            <DecisionButton
              key={decision}
              decision={decision}
              disabled={disabled}
              onPress={() => (isForm(decision) ? setForm(decision) : decide({ type: decision }))}
            />
          ))}
        </div>
      )}
    </div>
  );
}

const isForm = (decision: Decision): decision is Form =>
  decision === "edit" || decision === "reject" || decision === "respond";

const BUTTONS: Record<Decision, { words: string; icon: ReactNode }> = {
  approve: { words: "Approve", icon: <Check /> },
  accept: { words: "Accept", icon: <Check /> },
  edit: { words: "Edit", icon: <Pencil /> },
  reject: { words: "Reject", icon: <X /> },
  respond: { words: "Respond", icon: <MessageSquare /> },
  ignore: { words: "Ignore", icon: <EyeOff /> },
};

type DecisionButtonProps = { decision: Decision; disabled: boolean; onPress: () => void };

function DecisionButton({ decision, disabled, onPress }: DecisionButtonProps) {
  const { words, icon } = BUTTONS[decision];
  const look = decision === "approve" || decision === "accept" ? "primary" : undefined;
  return (
    <Button {...(look && { look })} icon={icon} data-testid={decision} disabled={disabled} onClick={onPress}>
      {words}
    </Button>
  );
}

const WORDS: Record<Decision, string> = {
  approve: "Approved",
  accept: "Accepted",
  edit: "Edited",
  reject: "Rejected",
  respond: "Answered",
  ignore: "Ignored",
};

/** The middleware's own description repeats the name and the arguments, which are drawn below it. */
function isBoilerplate({ description = "", name }: Action): boolean {
  return description.includes(`Tool: ${name}`) && description.includes("Args:");
}

function ArgsTable({ args }: { args: Record<string, unknown> }) {
  return (
    <dl className="ask-args">
      {Object.entries(args).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : <code>{JSON.stringify(value, null, 2)}</code>}</dd>
        </div>
      ))}
    </dl>
  );
}

type EditFormProps = {
  action: Action;
  onCancel: () => void;
  onSave: (args: Record<string, unknown>) => void;
};

function EditForm({ action, onCancel, onSave }: EditFormProps) {
  const [args, setArgs] = useState<Record<string, unknown> | undefined>(action.args);
  return (
    <form
      data-testid="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (args) onSave(args);
      }}
    >
      <ArgsFields args={action.args} onChange={setArgs} />
      <div className="ask-buttons">
        <Button look="primary" type="submit" data-testid="edit-save" disabled={!args}>
          Run with these
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
