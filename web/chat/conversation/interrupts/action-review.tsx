import { Check, EyeOff, MessageSquare, Pencil, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Markdown } from "../../../markdown/index.ts";
import { Button, Field } from "../../../ui/index.ts";
import { isRecord } from "../content.ts";
import { WORDS } from "../words.tsx";
import type { AskedAction, Decision, ReviewVerdict } from "./payload.ts";

type ActionReviewProps = {
  action: AskedAction;
  /** What was decided before, when there is more than one to decide. */
  verdict: ReviewVerdict | undefined;
  disabled: boolean;
  onDecide: (verdict: ReviewVerdict) => void;
};

/** Decisions that want something written first. */
type Form = "edit" | "reject" | "respond";

/** One call, and what may be decided about it. Some decisions open a form first. */
export function ActionReview({ action, verdict, disabled, onDecide }: ActionReviewProps) {
  const [form, setForm] = useState<Form>();
  const close = () => setForm(undefined);
  const decide = (decided: ReviewVerdict) => {
    close();
    onDecide(decided);
  };
  return (
    <div className="ask-action">
      <p className="ask-tool">
        <code>{action.name}</code>
        {verdict && <span className="ask-verdict">{VERDICT_WORDS[verdict.type]}</span>}
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
          label={WORDS.whyNot}
          hint={WORDS.reasonHint}
          send={WORDS.reject}
          look="danger"
          onCancel={close}
          onSend={(message) => decide({ type: "reject", ...(message && { message }) })}
        />
      )}
      {form === "respond" && (
        <WordsForm
          name="respond"
          label={WORDS.yourAnswerShort}
          hint={WORDS.answerHint}
          send={WORDS.send}
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
  approve: { words: WORDS.approve, icon: <Check /> },
  accept: { words: WORDS.accept, icon: <Check /> },
  edit: { words: WORDS.edit, icon: <Pencil /> },
  reject: { words: WORDS.reject, icon: <X /> },
  respond: { words: WORDS.respond, icon: <MessageSquare /> },
  ignore: { words: WORDS.ignore, icon: <EyeOff /> },
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

/** What is said of a decision once it is made. */
export const VERDICT_WORDS: Record<Decision, string> = {
  approve: WORDS.approved,
  accept: WORDS.accepted,
  edit: WORDS.edited,
  reject: WORDS.rejected,
  respond: WORDS.answered,
  ignore: WORDS.ignored,
};

/** The middleware's own description repeats the name and the arguments, which are drawn below it. */
function isBoilerplate({ description = "", name }: AskedAction): boolean {
  return description.includes(`Tool: ${name}`) && description.includes("Args:");
}

/** The arguments of a call. */
export function ArgsTable({ args }: { args: Record<string, unknown> }) {
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
  action: AskedAction;
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
          {WORDS.runWithArguments}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {WORDS.cancel}
        </Button>
      </div>
    </form>
  );
}

type Args = Record<string, unknown>;
type ArgsFieldsProps = {
  args: Args;
  /** Gets the arguments as they stand, or undefined while they cannot be read. */
  onChange: (args: Args | undefined) => void;
};

/** Arguments to be changed: a field for each plain one, and JSON for the rest. */
function ArgsFields({ args, onChange }: ArgsFieldsProps) {
  const [drafts, setDrafts] = useState(() => mapValues(args, asDraft));
  const [wrong, setWrong] = useState<Record<string, string | undefined>>({});
  const [first] = Object.keys(drafts);
  const change = (name: string, draft: string) => {
    const next = { ...drafts, [name]: draft };
    setDrafts(next);
    const read = mapValues(next, (written, key) => readDraft(written, args[key]));
    setWrong(mapValues(read, (one) => one.wrong));
    const whole = Object.values(read).every((one) => one.wrong === undefined);
    onChange(whole ? mapValues(read, (one) => one.value) : undefined);
  };
  return (
    <div className="ask-fields">
      {Object.entries(drafts).map(([name, draft]) => (
        <Field key={name} label={name} error={wrong[name]}>
          {(ids) => (
            <textarea
              {...ids}
              className={typeof args[name] === "string" ? "text-area ask-words" : "text-area"}
              rows={1}
              // biome-ignore lint/a11y/noAutofocus: who chose to edit wants to write
              autoFocus={name === first}
              value={draft}
              onChange={(event) => change(name, event.target.value)}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

function asDraft(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

/** A text stays a text; everything else has to be JSON again. */
function readDraft(draft: string, before: unknown): { value?: unknown; wrong?: string } {
  if (typeof before === "string") return { value: draft };
  try {
    const value: unknown = JSON.parse(draft);
    if (isRecord(before) && !isRecord(value)) return { wrong: WORDS.mustBeJsonObject };
    return { value };
  } catch {
    return { wrong: WORDS.invalidJson };
  }
}

function mapValues<From, To>(
  from: Record<string, From>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value, key)]));
}

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
function WordsForm({ name, label, hint, send, look, isNeeded, onCancel, onSend }: WordsFormProps) {
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
            // biome-ignore lint/a11y/noAutofocus: who chose the decision wants to write
            autoFocus
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
          {WORDS.cancel}
        </Button>
      </div>
    </form>
  );
}
