import type { Sources } from "@berth/server";
import { type ReactNode, useId } from "react";
import { TextField } from "../../../ui/index.ts";
import { configPathOf, type DroppedProject } from "../archive.ts";
import { readEnvironment, withPasted } from "../environment-tab.tsx";
import { WORDS } from "../words.tsx";
import { AccessField } from "./access-field.tsx";
import { DropZone } from "./drop-zone.tsx";
import type { DeploymentDraft } from "./new-deployment.ts";
import "./choices.css";

type SourceInputsProps = {
  draft: DeploymentDraft;
  templates: Sources["templates"];
  onChange: (changes: Partial<DeploymentDraft>) => void;
};

/** What each source needs to be known. */
export function SourceInputs({ draft, templates, onChange }: SourceInputsProps) {
  const text = { draft, onChange };
  const configPath = (
    <DraftText {...text} name="config_path" label={WORDS.configurationFile} hint={WORDS.configurationHint} />
  );
  const image = (hint: string) => <DraftText {...text} name="image_uri" label={WORDS.image} hint={hint} />;
  const take = (project: DroppedProject) => onChange({ project, ...readFrom(project, draft) });
  switch (draft.source) {
    case "internal_template":
      return (
        <TemplateChoice
          templates={templates}
          chosen={draft.template}
          onChoose={(template) => onChange({ template })}
        />
      );
    case "github":
      return (
        <RepositoryInputs draft={draft} onChange={onChange}>
          {configPath}
        </RepositoryInputs>
      );
    case "internal_source":
      return (
        <>
          <DropZone project={draft.project} onProject={take} />
          {configPath}
        </>
      );
    case "internal_docker":
      return (
        <>
          {image(WORDS.imageHint)}
          <DropZone fileOnly project={draft.project} onProject={(project) => onChange({ project })} />
        </>
      );
    default:
      return image(WORDS.foundImageHint);
  }
}

type DraftProps = Pick<SourceInputsProps, "draft" | "onChange">;

/** A repository, how it is read, and when it is deployed again; `children` say what of it. */
function RepositoryInputs({ draft, onChange, children }: DraftProps & { children: ReactNode }) {
  const text = { draft, onChange };
  return (
    <>
      <DraftText {...text} name="repo_url" label={WORDS.addressOfTheRepository} hint={WORDS.repositoryHint} />
      <div className="form-columns">
        <DraftText {...text} name="repo_ref" label={WORDS.branch} hint={WORDS.branchHint} />
        {children}
      </div>
      <AccessField integration_id={draft.integration_id} token={draft.token} onChange={onChange} />
      <label className="check">
        <input
          type="checkbox"
          checked={draft.build_on_push}
          onChange={(event) => onChange({ build_on_push: event.target.checked })}
        />
        {WORDS.deployOnPushAndHook}
      </label>
    </>
  );
}

type DraftTextProps = DraftProps & {
  name: "repo_url" | "repo_ref" | "config_path" | "image_uri";
  label: string;
  hint: string;
};

const SENT_AS: Record<DraftTextProps["name"], string> = {
  repo_url: "source_config.repo_url",
  repo_ref: "source_revision_config.repo_ref",
  config_path: "source_revision_config.langgraph_config_path",
  image_uri: "source_revision_config.image_uri",
};

function DraftText({ draft, onChange, name, label, hint }: DraftTextProps) {
  return (
    <TextField
      label={label}
      hint={hint}
      value={draft[name]}
      spellCheck={false}
      autoComplete="off"
      of={SENT_AS[name]}
      data-testid={`new-${name}`}
      onChange={(event) => onChange({ [name]: event.target.value.trim() })}
    />
  );
}

/** What a dropped folder says about itself: where its configuration is, and the values of its `.env`. */
function readFrom(project: DroppedProject, { rows }: DeploymentDraft): Partial<DeploymentDraft> {
  if (project.kind === "archive") return {};
  const config_path = configPathOf(project.files);
  const variables = readEnvironment(project.environment ?? "");
  return { ...(config_path && { config_path }), rows: withPasted(rows, "", variables) };
}

type TemplateChoiceProps = {
  templates: readonly { name: string; description: string }[];
  chosen: string;
  onChoose: (name: string) => void;
};

/** One of the templates in the binary. */
export function TemplateChoice({ templates, chosen, onChoose }: TemplateChoiceProps) {
  const group = useId();
  return (
    <fieldset className="source-choices">
      <legend className="field-label">{WORDS.template}</legend>
      {templates.map(({ name, description }) => (
        <label key={name} className="source-choice" data-testid={`template-${name}`}>
          <input type="radio" name={group} checked={name === chosen} onChange={() => onChoose(name)} />
          <span>
            <strong>{name}</strong>
            <span className="source-choice-note">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
