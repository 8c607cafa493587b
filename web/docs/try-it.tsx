import { Check, Copy, Play, Square } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { base } from "../api/index.ts";
import { Button, TextArea, TextField, useCopy } from "../ui/index.ts";
import { type ApiDocument, type ApiOperation, kindOf, type Parameter, sampleOf } from "./api-document.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  curlOf,
  fieldOf,
  missingIn,
  type OperationProps,
  requestFor,
  send,
} from "./api-request.ts";
import { WORDS } from "./words.ts";

const root = window.location.origin + base;

/** The operation as a form: what goes in, the request as a command, and the answer to it. */
export function TryIt({ operation, api, proof, wantsKey }: OperationProps) {
  const { parameters, body, isOpen } = operation;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [text, setText] = useState(() => firstBody(operation, api));
  const filled = { parameters: values, body: text };
  const request = requestFor(operation, filled, proof, root);
  const missing = missingIn(operation, filled);
  const sending = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (missing.length === 0) sending.start(request);
  };
  return (
    <form className="docs-try" onSubmit={submit} aria-label={WORDS.tryIt}>
      {parameters.map((parameter) => (
        <ParameterField
          key={fieldOf(parameter)}
          kind={parameter.schema ? kindOf(parameter.schema, api) : "string"}
          parameter={parameter}
          value={values[fieldOf(parameter)] ?? ""}
          onChange={(value) => setValues({ ...values, [fieldOf(parameter)]: value })}
        />
      ))}
      {body && (
        <TextArea
          label={WORDS.bodyOf(body.mediaType, body.isRequired ? " (required)" : "")}
          rows={Math.min(MOST_ROWS, Math.max(3, text.split("\n").length))}
          value={text}
          onChange={(event) => setText(event.target.value)}
          data-testid="docs-body"
        />
      )}
      <CurlCommand text={curlOf(request, wantsKey && !isOpen)} />
      <SendRow missing={missing} isBusy={sending.isBusy} onStop={sending.stop} />
      {sending.problem && <p role="alert">{sending.problem}</p>}
      {sending.answer && <Answer answer={sending.answer} />}
    </form>
  );
}

const MOST_ROWS = 14;

function firstBody({ body }: ApiOperation, api: ApiDocument): string {
  const first = body?.example ?? (body?.schema && sampleOf(body.schema, api));
  return first === undefined ? "" : JSON.stringify(first, undefined, 2);
}

type SendRowProps = { missing: readonly string[]; isBusy: boolean; onStop: () => void };

function SendRow({ missing, isBusy, onStop }: SendRowProps) {
  return (
    <div className="docs-send">
      <Button
        look="primary"
        type="submit"
        icon={<Play />}
        disabled={isBusy || missing.length > 0}
        data-testid="docs-send"
      >
        {WORDS.send}
      </Button>
      {isBusy && (
        <Button icon={<Square />} onClick={onStop}>
          {WORDS.stop}
        </Button>
      )}
      {missing.length > 0 && <small>{WORDS.fillIn(missing.join(", "))}</small>}
    </div>
  );
}

type ParameterFieldProps = {
  parameter: Parameter;
  kind: string;
  value: string;
  onChange: (value: string) => void;
};

function ParameterField({ parameter, kind, value, onChange }: ParameterFieldProps) {
  const { name, required, description, schema } = parameter;
  const list = schema?.type === "array" ? WORDS.severalHint : "";
  const words = `${description ?? ""}${list}`.trim();
  return (
    <TextField
      label={WORDS.fieldOf(name, kind, required === true)}
      {...(words !== "" && { hint: words })}
      placeholder={schema?.default === undefined ? "" : String(schema.default)}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      data-testid={`docs-parameter-${name}`}
    />
  );
}

function CurlCommand({ text }: { text: string }) {
  const { copied, copy } = useCopy();
  return (
    <div className="docs-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} data-testid="docs-curl">
        {text}
      </pre>
      <Button
        size="small"
        look="quiet"
        icon={copied ? <Check /> : <Copy />}
        aria-label={WORDS.copyTheCommand}
        onClick={() => copy(text)}
      >
        {copied ? WORDS.copied : WORDS.copy}
      </Button>
    </div>
  );
}

/** The answer to the request that was sent last, as it comes. */
function useSending() {
  const [answer, setAnswer] = useState<ApiAnswer>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const current = useRef<AbortController>(undefined);
  const stop = () => current.current?.abort();
  useEffect(() => () => current.current?.abort(), []);
  const start = async (request: ApiRequest) => {
    const controller = new AbortController();
    current.current = controller;
    setAnswer(undefined);
    setProblem(undefined);
    setBusy(true);
    try {
      await send(request, controller.signal, setAnswer);
    } catch {
      if (!controller.signal.aborted) setProblem(WORDS.noAnswer);
    } finally {
      setBusy(false);
    }
  };
  return { answer, problem, isBusy, start, stop };
}

function Answer({ answer: { status, statusText, ms, mediaType, text, isCut } }: { answer: ApiAnswer }) {
  return (
    <section aria-label={WORDS.answer} className="docs-answer" data-testid="docs-answer">
      <p role="status" className="docs-status">
        <strong className={status < 400 ? "docs-good" : "docs-bad"}>
          {status} {statusText}
        </strong>
        <small>
          {WORDS.answerTime(Math.round(ms), mediaType && `, ${mediaType}`)}
          {isCut && WORDS.onlyTheBeginning}
        </small>
      </p>
      {text !== "" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>{text}</pre>
      )}
    </section>
  );
}
