import type { Sources } from "@berth/server";
import { Box, FolderUp, GitBranch, type LucideIcon, Sparkles } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { useLocation } from "wouter";
import { Button, Form, TextField } from "../../ui/index.ts";
import { useAction, useAddressQuery, useHasKeys, useResource, useSubmission } from "../data/index.ts";
import { rolloutHref, type Source } from "../deployment.tsx";
import { KeyFirst, Loading, PageHead, Problem, Section } from "../ui/index.ts";
import { faultIn, SecretTable } from "./environment-tab.tsx";
import {
  createDeployment,
  type DeploymentDraft,
  emptyDraft,
  lackOf,
  type SentShare,
  SourceInputs,
  sendProject,
  suggestedName,
  UploadProgress,
} from "./fresh/index.ts";
import { WORDS } from "./words.tsx";
import "./deployments.css";
import "./fresh/choices.css";

const back = { href: "/deployments", label: WORDS.deployments };

const CHOICES: { source: Source; title: string; note: string; Icon: LucideIcon }[] = [
  {
    source: "internal_template",
    title: WORDS.template,
    note: WORDS.templateHint,
    Icon: Sparkles,
  },
  { source: "internal_source", title: WORDS.upload, note: WORDS.uploadHint, Icon: FolderUp },
  {
    source: "github",
    title: WORDS.gitRepository,
    note: WORDS.gitHint,
    Icon: GitBranch,
  },
  { source: "internal_docker", title: WORDS.image, note: WORDS.imageOrArchiveHint, Icon: Box },
  { source: "external_docker", title: WORDS.image, note: WORDS.imageOnlyHint, Icon: Box },
];

/** Deploys something new. */
export function NewDeploymentScreen() {
  const { data, error, refresh } = useResource<Sources>("/v1/sources");
  const query = useAddressQuery();
  const choices = CHOICES.filter(({ source }) => data?.sources.includes(source));
  const chosen = choices.find(({ source }) => source === query.get("source")) ?? choices[0];
  const group = useId();
  const hasKeys = useHasKeys();
  if (!hasKeys)
    return (
      <>
        <PageHead title={WORDS.newDeployment} back={back} />
        <KeyFirst />
      </>
    );
  return (
    <>
      <PageHead title={WORDS.newDeployment} back={back} sub={WORDS.whatDoYouWant} />
      {error && <Problem error={error} retry={refresh} />}
      {!data && !error && <Loading />}
      {data && chosen && (
        <div>
          <div className="deploy-form">
            <fieldset className="source-choices">
              <legend className="visually-hidden">{WORDS.sourceLabel}</legend>
              {choices.map(({ source, title, note, Icon }) => (
                <label key={source} className="source-choice" data-testid={`source-${source}`}>
                  <input
                    type="radio"
                    name={group}
                    className="visually-hidden"
                    checked={source === chosen.source}
                    onChange={() => query.set({ source })}
                  />
                  <Icon aria-hidden="true" />
                  <span>
                    <strong>{title}</strong>
                    <span className="source-choice-note">{note}</span>
                  </span>
                </label>
              ))}
            </fieldset>
            <NewDeploymentForm key={chosen.source} source={chosen.source} templates={data.templates} />
          </div>
        </div>
      )}
    </>
  );
}

type FormProps = { source: Source; templates: Sources["templates"] };

function NewDeploymentForm({ source, templates }: FormProps) {
  const [draft, setDraft] = useState<DeploymentDraft>(() => {
    const empty = {
      ...emptyDraft(source),
      template: source === "internal_template" ? (templates[0]?.name ?? "") : "",
    };
    return { ...empty, name: suggestedName(empty) };
  });
  const { submit, busy, progress, refused } = useCreation(draft);
  const isLacking = lackOf(draft) !== undefined || faultIn(draft.rows) !== undefined;
  /** A name that nobody has changed goes with what was chosen. */
  const change = (changes: Partial<DeploymentDraft>) =>
    setDraft((before) => {
      const next = { ...before, ...changes };
      const isSuggested = before.name === suggestedName(before) && changes.name === undefined;
      return isSuggested ? { ...next, name: suggestedName(next) } : next;
    });
  return (
    <Form refused={refused} onSubmit={submit} data-testid="new-deployment-form">
      <div className="form-card">
        <SourceInputs draft={draft} templates={templates} onChange={change} />
        <TextField
          label={WORDS.name}
          value={draft.name}
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          of="name"
          data-testid="new-name"
          onChange={(event) => change({ name: event.target.value })}
        />
      </div>
      <Section title={WORDS.environment} note={WORDS.environmentHint}>
        <div className="form-card">
          <SecretTable rows={draft.rows} onChange={(rows) => change({ rows })} />
        </div>
      </Section>
      {progress && <UploadProgress progress={progress} />}
      <div className="deploy-foot">
        <Button look="primary" type="submit" disabled={isLacking || busy} data-testid="new-submit">
          {WORDS.deploy}
        </Button>
        <span className="form-note">{busy ? "" : lackOf(draft)}</span>
      </div>
    </Form>
  );
}

/** Makes the deployment, sends what was dropped, and goes to look at it. */
function useCreation(draft: DeploymentDraft) {
  const creation = useSubmission();
  const upload = useAction();
  const [, navigate] = useLocation();
  const [progress, setProgress] = useState<SentShare>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await creation.run(() => createDeployment(draft));
    if (!made) return;
    // It is there from now on: where the upload fails, it can be tried again on its own page.
    await upload.run(() => sendProject(made, draft, setProgress));
    navigate(rolloutHref(made.id, made.latest_revision_id));
  };
  return { submit, busy: creation.busy || upload.busy, progress, refused: creation.refused };
}
