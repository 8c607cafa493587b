import { Check, Pencil, X } from "lucide-react";
import { useState } from "react";
import { Button, Field } from "../../../ui/index.ts";
import { ArgsFields } from "./args-fields.tsx";
import type { Action, Decision, Verdict } from "./payload.ts";

type ActionReviewProps = {
  action: Action;
  /** What was decided before, when there is more than one to decide. */
  verdict: Verdict | undefined;
  disabled: boolean;
  onDecide: (verdict: Verdict) => void;
};

/** One call, and what may be decided about it. Editing and rejecting open a form first. */
export function ActionReview({ action, verdict, disabled, onDecide }: ActionReviewProps) {
  const [form, setForm] = useState<"edit" | "reject">();
  return (
    <div className="ask-action">
      <p className="ask-tool">
        <code>{action.name}</code>
        {verdict && <span className="ask-verdict">{WORDS[verdict.type]}</span>}
      </p>
      {action.description && !isBoilerplate(action) && <p className="ask-text">{action.description}</p>}
      {form === "edit" ? (
        <EditForm
          action={action}
          onCancel={() => setForm(undefined)}
          onSave={(args) => {
            setForm(undefined);
            onDecide({ type: "edit", edited_action: { name: action.name, args } });
          }}
        />
      ) : (
        <ArgsTable args={verdict?.type === "edit" ? verdict.edited_action.args : action.args} />
      )}
      {form === "reject" && (
        <RejectForm
          onCancel={() => setForm(undefined)}
          onReject={(message) => {
            setForm(undefined);
            onDecide({ type: "reject", ...(message && { message }) });
          }}
        />
      )}
      {form === undefined && (
        <ActionButtons
          allowed={action.allowed}
          disabled={disabled}
          onApprove={() => onDecide({ type: "approve" })}
          onForm={setForm}
        />
      )}
    </div>
  );
}

type ActionButtonsProps = {
  allowed: Decision[];
  disabled: boolean;
  onApprove: () => void;
  onForm: (form: "edit" | "reject") => void;
};

function ActionButtons({ allowed, disabled, onApprove, onForm }: ActionButtonsProps) {
  return (
    <div className="ask-buttons">
      {allowed.includes("approve") && (
        <Button look="primary" icon={<Check />} data-testid="approve" disabled={disabled} onClick={onApprove}>
          Approve
        </Button>
      )}
      {allowed.includes("edit") && (
        <Button icon={<Pencil />} data-testid="edit" disabled={disabled} onClick={() => onForm("edit")}>
          Edit
        </Button>
      )}
      {allowed.includes("reject") && (
        <Button icon={<X />} data-testid="reject" disabled={disabled} onClick={() => onForm("reject")}>
          Reject
        </Button>
      )}
    </div>
  );
}

const WORDS = { approve: "Approved", edit: "Edited", reject: "Rejected" };

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

function RejectForm({ onCancel, onReject }: { onCancel: () => void; onReject: (reason: string) => void }) {
  const [reason, setReason] = useState("");
  return (
    <form
      data-testid="reject-form"
      onSubmit={(event) => {
        event.preventDefault();
        onReject(reason.trim());
      }}
    >
      <Field label="Why not?" hint="The agent reads this. It may stay empty.">
        {(ids) => (
          <textarea
            {...ids}
            className="text-area ask-words"
            data-testid="reject-reason"
            rows={2}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      <div className="ask-buttons">
        <Button look="danger" type="submit" data-testid="reject-send">
          Reject
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
