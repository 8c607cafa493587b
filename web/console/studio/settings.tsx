import type { Assistant, GraphSchemas } from "@berth/server";
import { Save } from "lucide-react";
import { useEffect, useMemo } from "react";
import { FormFields, type SchemaForm, settingFields, useSchemaForm } from "../../form/index.ts";
import { Button } from "../../ui/index.ts";
import { api, useAction, useResource } from "../data/index.ts";
import { Loading, Problem } from "../ui/index.ts";
import type { Lane, SettingsOfRun } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

/** What is being set for the next run. */
export type SettingsDraft = {
  schemas: ReturnType<typeof useSchemas>;
  context: SchemaForm;
  configurable: SchemaForm;
  isChanged: boolean;
  /** Nothing where something is wrong, which is shown from then on. */
  read(): SettingsOfRun | undefined;
};

export const useSchemas = (base: string, assistant: Assistant | undefined) =>
  useResource<GraphSchemas>(assistant ? `${base}/assistants/${assistant.assistant_id}/schemas` : null);

const NO_SCHEMAS = { context_schema: null, config_schema: null };

/** The settings that an assistant's graph declares, as they are changed for one run. */
export function useSettings(base: string, assistant: Assistant | undefined): SettingsDraft {
  const schemas = useSchemas(base, assistant);
  const fields = useMemo(
    () => settingFields(schemas.data ?? NO_SCHEMAS, assistant),
    [schemas.data, assistant],
  );
  const context = useSchemaForm(fields.context);
  const configurable = useSchemaForm(fields.configurable);
  const { reset: resetContext } = context;
  const { reset: resetConfigurable } = configurable;
  useEffect(() => {
    resetContext();
    resetConfigurable();
  }, [resetContext, resetConfigurable]);
  const isChanged = [context, configurable].some((form) =>
    form.fields.length === 0 ? form.raw.trim() !== "" && form.raw.trim() !== "{}" : hasTexts(form),
  );
  const read = () => {
    const [first, second] = [context, configurable].map(readPart);
    return first && second && { context: first, configurable: second };
  };
  return { schemas, context, configurable, isChanged, read };
}

const hasTexts = ({ isRaw, raw, texts }: SchemaForm): boolean =>
  isRaw ? raw.trim() !== "{}" : Object.values(texts).some((text) => text !== "");

function readPart(form: SchemaForm): Record<string, unknown> | undefined {
  if (form.isRaw && form.raw.trim() === "") return {};
  const read = form.read();
  return read && { ...Object(read.value) };
}

type SettingsFieldsProps = { settings: SettingsDraft; lane: Lane };

export function SettingsFields({ settings, lane }: SettingsFieldsProps) {
  const { schemas, context, configurable, isChanged } = settings;
  const { assistant } = lane;
  if (schemas.error) return <Problem error={schemas.error} retry={schemas.refresh} />;
  if (!schemas.data || !assistant) return <Loading />;
  return (
    <form className="studio-form" onSubmit={(event) => event.preventDefault()} data-testid="settings-form">
      <p className="studio-note">{WORDS.settingsHint}</p>
      <Part title={WORDS.context} form={context} defaults={assistant.context} />
      <Part title={WORDS.configuration} form={configurable} defaults={assistant.config.configurable} />
      <SaveVersion settings={settings} lane={lane} assistant={assistant} isChanged={isChanged} />
    </form>
  );
}

function Part({ title, form, defaults }: { title: string; form: SchemaForm; defaults: unknown }) {
  if (form.fields.length === 0 && title === "Configuration") return null;
  return (
    <fieldset className="studio-part">
      <legend>{title}</legend>
      <FormFields form={form} defaults={defaults} label={title} />
    </fieldset>
  );
}

type SaveVersionProps = SettingsFieldsProps & { assistant: Assistant; isChanged: boolean };

/** Keeps what was tried: the settings become a new version of the assistant. */
function SaveVersion({ settings, lane: { base }, assistant, isChanged }: SaveVersionProps) {
  const { run, busy } = useAction();
  const save = () => {
    const read = settings.read();
    if (!read) return;
    const { config, context, assistant_id, version } = assistant;
    const body = {
      context: { ...context, ...read.context },
      config: { ...config, configurable: { ...config.configurable, ...read.configurable } },
    };
    return run(
      () => api(`${base}/assistants/${assistant_id}`, { method: "PATCH", body }),
      WORDS.savedAsVersion(version + 1),
    );
  };
  return (
    <div>
      <Button
        size="small"
        icon={<Save />}
        disabled={busy || !isChanged}
        onClick={save}
        data-testid="save-version"
      >
        {WORDS.saveAsVersion}
      </Button>
    </div>
  );
}
