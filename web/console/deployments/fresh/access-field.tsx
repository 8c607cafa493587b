import type { Integration } from "@berth/server";
import { Field, TextField } from "../../../ui/index.ts";
import { useResource } from "../../data/index.ts";

export type DeploymentAccess = { integration_id: string; token: string };

type AccessFieldProps = DeploymentAccess & { onChange: (changes: Partial<DeploymentAccess>) => void };

const NEW = "new";

/** How a repository is read: by anybody, with a token that is kept here, or with a new one. */
export function AccessField({ integration_id, token, onChange }: AccessFieldProps) {
  const { data } = useResource<Integration[]>("/v1/integrations/github/install");
  return (
    <>
      <Field label="Access" hint="A private repository over https needs a personal token.">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={integration_id}
            data-testid="new-access"
            onChange={(event) => onChange({ integration_id: event.target.value, token: "" })}
          >
            <option value="">Public, or by ssh</option>
            {(data ?? []).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            <option value={NEW}>Another token…</option>
          </select>
        )}
      </Field>
      {integration_id === NEW && (
        <TextField
          label="Token"
          hint="Kept encrypted, and never shown. Give it access to no more than is deployed from there."
          type="password"
          autoComplete="new-password"
          value={token}
          data-testid="new-token"
          onChange={(event) => onChange({ token: event.target.value.trim() })}
        />
      )}
    </>
  );
}

/** Whether a token is still to be given. */
export const lacksToken = ({ integration_id, token }: DeploymentAccess): boolean =>
  integration_id === NEW && token === "";

/** Whether a token is to be kept first. */
export const bringsToken = ({ integration_id }: DeploymentAccess): boolean => integration_id === NEW;
