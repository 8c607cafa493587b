import { useEffect, useState } from "react";
import { type AssistantSchemas, readSchemas } from "../../api/index.ts";
import { fieldsOf } from "./field-kind.ts";

/** What an assistant's graph declares, why that could not be read, or nothing yet. */
export function useSchemas(assistantId: string | undefined): AssistantSchemas | Error | undefined {
  const [read, setRead] = useState<{ of: string; schemas: AssistantSchemas | Error }>();
  useEffect(() => {
    if (assistantId === undefined) return;
    let wanted = true;
    const keep = (schemas: AssistantSchemas | Error) => wanted && setRead({ of: assistantId, schemas });
    readSchemas(assistantId).then(keep, keep);
    return () => {
      wanted = false;
    };
  }, [assistantId]);
  return read && read.of === assistantId ? read.schemas : undefined;
}

/** Whether there is certainly nothing to choose. */
export function hasNoSettings(schemas: AssistantSchemas | Error | undefined): boolean {
  if (!schemas || schemas instanceof Error) return false;
  return fieldsOf(schemas.context_schema).length + fieldsOf(schemas.config_schema).length === 0;
}
