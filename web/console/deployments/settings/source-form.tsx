import type { Deployment, Revision, Sources } from "@berth/server";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { Button, Form, TextField } from "../../../ui/index.ts";
import { api, useResource, useSubmission } from "../../data/index.ts";
import { pathOf, rolloutHref, SOURCE_WORDS, type Source } from "../../deployment.tsx";
import { Section } from "../../ui/index.ts";
import { TemplateChoice } from "../fresh/index.ts";
import { WORDS } from "../words.tsx";

type Values = {
  repo_url: string;
  repo_ref: string;
  build_on_push: boolean;
  require_api_key: boolean;
  langgraph_config_path: string;
  install_command: string;
  build_command: string;
  image_uri: string;
  template: string;
};

/** What a deployment is made from. */
export function SourceForm({ deployment }: { deployment: Deployment }) {
  const before = valuesOf(deployment);
  const [values, setValues] = useState(before);
  const { save, busy, refused } = useSave(deployment);
  const { source } = deployment;
  const change = (changes: Partial<Values>) => setValues({ ...values, ...changes });
  const isChanged = JSON.stringify(values) !== JSON.stringify(before);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A template is part of the settings, which alone make no revision.
    void save(changesOf(before, values), values.template !== before.template);
  };
  return (
    <Section title={WORDS.source} note={SOURCE_WORDS[source]}>
      <Form className="form-card" refused={refused} onSubmit={submit} data-testid="source-form">
        <SourceFields source={source} values={values} onChange={change} />
        <label className="check">
          <input
            type="checkbox"
            data-testid="source-require_api_key"
            checked={values.require_api_key}
            onChange={(event) => change({ require_api_key: event.target.checked })}
          />
          {WORDS.requireAnApiKey}
        </label>
        <div className="form-foot">
          <span className="form-note">{WORDS.sourceNote}</span>
          <Button disabled={!isChanged} onClick={() => setValues(before)}>
            {WORDS.discard}
          </Button>
          <Button look="primary" type="submit" disabled={!isChanged || busy} data-testid="source-save">
            {WORDS.save}
          </Button>
        </div>
      </Form>
    </Section>
  );
}

type TextName = Exclude<keyof Values, "build_on_push" | "require_api_key" | "template">;
const IN_REVISION = new Set<string>(["repo_ref", "langgraph_config_path", "image_uri"]);

type FieldsProps = { source: Source; values: Values; onChange: (changes: Partial<Values>) => void };

function SourceFields({ source, values, onChange }: FieldsProps) {
  const text = (name: TextName, label: string, hint?: string) => (
    <TextField
      label={label}
      {...(hint && { hint })}
      value={values[name]}
      spellCheck={false}
      of={IN_REVISION.has(name) ? `source_revision_config.${name}` : `source_config.${name}`}
      data-testid={`source-${name}`}
      onChange={(event) => onChange({ [name]: event.target.value.trimStart() })}
    />
  );
  if (source === "internal_template") return <TemplateFields values={values} onChange={onChange} />;
  if (source === "internal_docker" || source === "external_docker")
    return text("image_uri", WORDS.image, WORDS.localImageHint);
  return (
    <div className="form-columns">
      {source === "github" && (
        <>
          {text("repo_url", WORDS.addressOfTheRepository)}
          {text("repo_ref", WORDS.branch, WORDS.tagHint)}
        </>
      )}
      {text("langgraph_config_path", WORDS.configurationFile, WORDS.configurationInSourceHint)}
      {text("install_command", WORDS.installCommand, WORDS.installHint)}
      {text("build_command", WORDS.buildCommand, WORDS.buildHint)}
      {source === "github" && (
        <label className="check">
          <input
            type="checkbox"
            checked={values.build_on_push}
            onChange={(event) => onChange({ build_on_push: event.target.checked })}
          />
          {WORDS.deployOnPushText}
        </label>
      )}
    </div>
  );
}

function TemplateFields({ values, onChange }: Omit<FieldsProps, "source">) {
  const { data } = useResource<Sources>("/v1/sources");
  return (
    <TemplateChoice
      templates={data?.templates ?? []}
      chosen={values.template}
      onChoose={(template) => onChange({ template })}
    />
  );
}

const valuesOf = ({ source_config, source_revision_config }: Deployment): Values => ({
  repo_url: source_config.repo_url ?? "",
  repo_ref: source_revision_config.repo_ref ?? "",
  build_on_push: source_config.build_on_push ?? false,
  require_api_key: source_config.require_api_key ?? false,
  langgraph_config_path: source_revision_config.langgraph_config_path ?? "",
  install_command: source_config.install_command ?? "",
  build_command: source_config.build_command ?? "",
  image_uri: source_revision_config.image_uri ?? "",
  template: source_config.template ?? "",
});

/** Only what is different: null is as good as missing to the server, and nothing is no name of a branch. */
function changesOf(before: Values, now: Values) {
  const changed = <Name extends keyof Values>(...names: Name[]) =>
    Object.fromEntries(names.filter((name) => now[name] !== before[name]).map((name) => [name, now[name]]));
  const config = changed("repo_ref", "langgraph_config_path", "image_uri");
  if (config.repo_ref === "") delete config.repo_ref;
  const settings = changed(
    ...(["repo_url", "build_on_push", "require_api_key"] as const),
    ...(["install_command", "build_command", "template"] as const),
  );
  return {
    ...(Object.keys(settings).length > 0 && { source_config: settings }),
    ...(Object.keys(config).length > 0 && { source_revision_config: config }),
  };
}

/** Changes a deployment, and goes to look at the new revision where the change makes one. */
export function useSave({ id, latest_revision_id }: Deployment) {
  const { run, busy, refused } = useSubmission();
  const [, navigate] = useLocation();
  /** @param always makes a revision also of what would wait for the next one */
  const save = async (body: unknown, always = false) => {
    const latest = await run(async () => {
      if (always) return (await api<Revision>(`${pathOf(id)}/revisions`, { method: "POST", body })).id;
      return (await api<Deployment>(pathOf(id), { method: "PATCH", body })).latest_revision_id;
    }, WORDS.saved);
    if (latest && latest !== latest_revision_id) navigate(rolloutHref(id, latest));
  };
  return { save, busy, refused };
}
