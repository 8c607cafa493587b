import { useCallback, useState } from "react";
import { type AssistantSchemas, RequestFailed } from "../../api/index.ts";
import { useResource } from "../../data/index.ts";
import { fieldsOf } from "./field-kind.ts";

/**
 * What an assistant's graph declares, why that could not be read, or nothing yet. `ask` asks for it: to find it out
 * may cost the server a look at the types of a whole project, so nobody asks without a reason.
 */
export function useSchemas(assistantId: string | undefined) {
  const [isWanted, setWanted] = useState(false);
  const isAsked = isWanted && assistantId !== undefined;
  const { data, error } = useResource<AssistantSchemas>(
    isAsked ? `/assistants/${assistantId}/schemas` : null,
  );
  const ask = useCallback(() => setWanted(true), []);
  return { schemas: data ?? error, ask };
}

/** Why there is certainly nothing to choose; undefined while there may be. */
export function whyNoSettings(schemas: AssistantSchemas | Error | undefined): string | undefined {
  if (schemas instanceof RequestFailed && [403, 404].includes(schemas.status))
    return "You may not see this assistant's settings";
  if (!schemas || schemas instanceof Error) return undefined;
  const fields = fieldsOf(schemas.context_schema).length + fieldsOf(schemas.config_schema).length;
  return fields === 0 ? "This assistant has no settings" : undefined;
}
