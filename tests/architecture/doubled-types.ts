import type { Source } from "./source.ts";

/** Names that several exported types still have. A name leaves this list when it is one type's alone; none comes. */
export const DOUBLED: readonly string[] = ["Deployments", "LogQuery"];

const EXPORTED = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;
/** Projects that are copied out: each has names of its own. */
const TEMPLATES = "agent/templates/";

/** Each name that more than one exported type of the three layers has, with the files that export it. */
export function doubledTypes(sources: readonly Source[]): Map<string, string[]> {
  const ours = sources.filter(
    ({ path }) => /^(?:store|agent|server)\//.test(path) && !path.startsWith(TEMPLATES),
  );
  const files = new Map<string, string[]>();
  for (const { path, text } of ours)
    for (const [, name = ""] of text.matchAll(EXPORTED)) files.set(name, [...(files.get(name) ?? []), path]);
  return new Map([...files].filter(([, paths]) => paths.length > 1).sort());
}
