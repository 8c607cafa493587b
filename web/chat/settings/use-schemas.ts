import { useCallback, useEffect, useState } from "react";
import { type AssistantSchemas, RequestFailed, readSchemas } from "../../api/index.ts";
import { fieldsOf } from "./field-kind.ts";

/**
 * What an assistant's graph declares, why that could not be read, or nothing yet. `ask` asks for it: to find it out
 * may cost the server a look at the types of a whole project, so nobody asks without a reason.
 */
export function useSchemas(assistantId: string | undefined) {
  const [isWanted, setWanted] = useState(false);
  const [read, setRead] = useState<{ of: string; schemas: AssistantSchemas | Error }>();
  useEffect(() => {
    if (assistantId === undefined || !isWanted) return;
    let wanted = true;
    const keep = (schemas: AssistantSchemas | Error) => wanted && setRead({ of: assistantId, schemas });
    readSchemas(assistantId).then(keep, keep);
    return () => {
      wanted = false;
    };
  }, [assistantId, isWanted]);
  const ask = useCallback(() => setWanted(true), []);
  return { schemas: read && read.of === assistantId ? read.schemas : undefined, ask };
}

/** Why there is certainly nothing to choose; undefined while there may be. */
export function whyNoSettings(schemas: AssistantSchemas | Error | undefined): string | undefined {
  if (schemas instanceof RequestFailed && [403, 404].includes(schemas.status))
    return "You may not see this assistant's settings";
  if (!schemas || schemas instanceof Error) return undefined;
  const fields = fieldsOf(schemas.context_schema).length + fieldsOf(schemas.config_schema).length;
  return fields === 0 ? "This assistant has no settings" : undefined;
}
