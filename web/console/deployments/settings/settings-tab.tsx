import type { Deployment, PushHook as Hook } from "@berth/server";
import { Eye, RotateCw, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { Button, Form, TextField } from "../../../ui/index.ts";
import { api, useAction, useResource } from "../../data/index.ts";
import { pathOf } from "../../deployment.tsx";
import { ConfirmDialog, CopyButton, Problem, Section } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { SourceForm, useSave } from "./source-form.tsx";

/** What a deployment is made from and with, and its end. */
export function SettingsTab({ deployment }: { deployment: Deployment }) {
  const { source } = deployment;
  const isImage = source === "internal_docker" || source === "external_docker";
  return (
    <>
      <SourceForm key={deployment.updated_at} deployment={deployment} />
      {source === "github" && <PushHook deployment={deployment} />}
      {isImage && <ResourceForm key={`resources-${deployment.updated_at}`} deployment={deployment} />}
      <DangerZone deployment={deployment} />
    </>
  );
}

function DangerZone({ deployment }: { deployment: Deployment }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={WORDS.deleteShort}>
      <div className="form-card">
        <div className="form-foot form-foot-plain">
          <span className="form-note">{WORDS.deleteNote}</span>
          <Button
            look="danger"
            icon={<Trash2 />}
            onClick={() => setOpen(true)}
            data-testid="delete-deployment"
          >
            {WORDS.delete}
          </Button>
        </div>
      </div>
      {isOpen && <DeleteDialog deployment={deployment} onClose={() => setOpen(false)} />}
    </Section>
  );
}

/** Asks for the name of a deployment before it is deleted. */
export function DeleteDialog({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const { id, name } = deployment;
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const remove = async () => {
    const done = await run(async () => {
      await api(pathOf(id), { method: "DELETE" });
      return true;
    }, WORDS.wasDeleted(name));
    if (done) navigate("/deployments");
  };
  return (
    <ConfirmDialog
      title={WORDS.deleteNamed(name)}
      text={<p>{WORDS.deleteQuestionNote}</p>}
      confirmText={WORDS.deleteTheDeployment}
      typeName={name}
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}

const FIELDS = [
  { name: "cpu", label: WORDS.processors, step: "0.1" },
  { name: "cpu_limit", label: WORDS.processorsAtMost, step: "0.1" },
  { name: "memory_mb", label: WORDS.memoryMb, step: "1" },
  { name: "memory_limit_mb", label: WORDS.memoryAtMostMb, step: "1" },
] as const;

type Values = Record<(typeof FIELDS)[number]["name"], string>;

/** What a container may use. */
function ResourceForm({ deployment }: { deployment: Deployment }) {
  const spec = deployment.source_config.resource_spec ?? {};
  const before = Object.fromEntries(FIELDS.map(({ name }) => [name, String(spec[name] ?? "")])) as Values;
  const [values, setValues] = useState(before);
  const { save, busy, refused } = useSave(deployment);
  const isChanged = FIELDS.some(({ name }) => values[name] !== before[name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = FIELDS.filter(({ name }) => values[name] !== "").map(({ name }) => [
      name,
      Number(values[name]),
    ]);
    void save({ source_config: { resource_spec: { ...spec, ...Object.fromEntries(given) } } });
  };
  return (
    <Section title={WORDS.resources} note={WORDS.limitHint}>
      <Form className="form-card" refused={refused} onSubmit={submit}>
        <div className="form-columns">
          {FIELDS.map(({ name, label, step }) => (
            <TextField
              key={name}
              of={`source_config.resource_spec.${name}`}
              label={label}
              type="number"
              min={step}
              step={step}
              value={values[name]}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          ))}
        </div>
        <div className="form-foot">
          <span className="form-note">{WORDS.savingNote}</span>
          <Button look="primary" type="submit" disabled={!isChanged || busy}>
            {WORDS.saveAndDeploy}
          </Button>
        </div>
      </Form>
    </Section>
  );
}

/** What a repository needs to tell this Berth about a push. */
function PushHook({ deployment }: { deployment: Deployment }) {
  const [isShown, setShown] = useState(false);
  const { data, error, refresh } = useResource<Hook>(isShown ? `${pathOf(deployment.id)}/push-hook` : null);
  return (
    <Section title={WORDS.deployOnPush} note={WORDS.repositoryHook}>
      <div className="form-card">
        {error && <Problem error={error} />}
        {data ? (
          <dl className="hook">
            <div>
              <dt>{WORDS.address}</dt>
              <dd className="address">
                <code>{data.url}</code>
                <CopyButton text={data.url} label={WORDS.copyTheAddress} />
              </dd>
            </div>
            <div>
              <dt>{WORDS.secret}</dt>
              <dd className="address">
                <code data-testid="push-secret">{data.secret}</code>
                <CopyButton text={data.secret} label={WORDS.copyTheSecret} />
                <NewSecret deployment={deployment} onNew={refresh} />
              </dd>
            </div>
          </dl>
        ) : (
          <span>
            <Button icon={<Eye />} onClick={() => setShown(true)} data-testid="push-hook">
              {WORDS.showAddressAndSecret}
            </Button>
          </span>
        )}
      </div>
    </Section>
  );
}

/** Makes the secret that is there good for nothing. */
function NewSecret({ deployment, onNew }: { deployment: Deployment; onNew: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const { run, busy } = useAction();
  const renew = async () => {
    await run(() => api(`${pathOf(deployment.id)}/push-hook/rotate`, { method: "POST" }), WORDS.hasNewSecret);
    onNew();
  };
  return (
    <>
      <Button size="small" icon={<RotateCw />} onClick={() => setOpen(true)} data-testid="new-push-secret">
        {WORDS.newSecret}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={WORDS.newSecretQuestion}
          text={<p>{WORDS.newSecretNote}</p>}
          confirmText={WORDS.makeANewSecret}
          look="primary"
          busy={busy}
          onConfirm={renew}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
