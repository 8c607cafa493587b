import type { Assistant } from "@berth/server";
import { type FormEvent, useId, useMemo } from "react";
import type { AssistantSchemas } from "../../api/index.ts";
import { FormFields, type SchemaForm, settingFields, useSchemaForm } from "../../form/index.ts";
import { Button, Dialog, Spinner } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { whyNoSettings } from "./thread-settings.ts";
import "./settings.css";

type Values = Record<string, unknown>;

type ContextFormProps = {
  assistant: Assistant;
  schemas: AssistantSchemas | Error | undefined;
  context: Values;
  configurable: Values;
  onSave: (change: { context: Values; configurable: Values }) => void;
  onClose: () => void;
};

/** The settings that an assistant's graph declares, for one conversation. */
export function ContextForm({ assistant, schemas, onClose, ...rest }: ContextFormProps) {
  if (schemas && !(schemas instanceof Error))
    return <SettingsDialog assistant={assistant} schemas={schemas} onClose={onClose} {...rest} />;
  return (
    <Dialog title={WORDS.settings} onClose={onClose} testId="context-form">
      {schemas ? (
        <p role="alert">{whyNoSettings(schemas) ?? WORDS.settingsNotLoaded(schemas.message)}</p>
      ) : (
        <Spinner label={WORDS.loading} />
      )}
    </Dialog>
  );
}

type SettingsDialogProps = ContextFormProps & { schemas: AssistantSchemas };

function SettingsDialog({ assistant, schemas, context, configurable, onSave, onClose }: SettingsDialogProps) {
  const formId = useId();
  const fields = useMemo(() => settingFields(schemas, assistant), [schemas, assistant]);
  const contextPart = useSchemaForm(fields.context, context);
  const configPart = useSchemaForm(fields.configurable, configurable);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [first, second] = [contextPart, configPart].map(readPart);
    if (!first || !second) return;
    onSave({ context: first, configurable: second });
    onClose();
  };
  return (
    <Dialog
      title={WORDS.settingsOf(assistant.name)}
      look="wide"
      onClose={onClose}
      testId="context-form"
      actions={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button look="primary" type="submit" form={formId} data-testid="context-save">
            {WORDS.save}
          </Button>
        </>
      }
    >
      <form id={formId} className="context-form" onSubmit={submit}>
        <p className="context-form-intro">{WORDS.settingsHint}</p>
        <Part title={WORDS.context} form={contextPart} defaults={assistant.context} />
        <Part title={WORDS.configuration} form={configPart} defaults={assistant.config?.configurable} />
      </form>
    </Dialog>
  );
}

/** Without fields there is nothing to say, and nothing wrong. */
function readPart(form: SchemaForm): Values | undefined {
  if (form.fields.length === 0) return {};
  const read = form.read();
  return read && { ...Object(read.value) };
}

function Part({ title, form, defaults }: { title: string; form: SchemaForm; defaults: Values | undefined }) {
  if (form.fields.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <FormFields form={form} defaults={defaults} fieldsOnly />
    </>
  );
}
