import type { Integration } from "@berth/server";
import { SelectField, TextField } from "../../../ui/index.ts";
import { useResource } from "../../data/index.ts";
import { WORDS } from "../words.tsx";

export type DeploymentAccess = { integration_id: string; token: string };

type AccessFieldProps = DeploymentAccess & { onChange: (changes: Partial<DeploymentAccess>) => void };

const NEW = "new";

/** How a repository is read: by anybody, with a token that is kept here, or with a new one. */
export function AccessField({ integration_id, token, onChange }: AccessFieldProps) {
  const { data } = useResource<Integration[]>("/v1/integrations/github/install");
  return (
    <>
      <SelectField
        label={WORDS.access}
        hint={WORDS.accessHint}
        value={integration_id}
        options={[
          { value: "", label: WORDS.publicOrOverSsh },
          ...(data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          { value: NEW, label: WORDS.anotherToken },
        ]}
        of="source_config.integration_id"
        data-testid="new-access"
        onChange={(chosen) => onChange({ integration_id: chosen, token: "" })}
      />
      {integration_id === NEW && (
        <TextField
          label={WORDS.token}
          hint={WORDS.tokenHint}
          type="password"
          autoComplete="new-password"
          value={token}
          of="token"
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
