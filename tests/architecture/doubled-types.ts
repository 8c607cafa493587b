import type { Source } from "./source.ts";

const EXPORTED = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;
/** Projects that are copied out: each has names of its own. */
const TEMPLATES = "agent/templates/";

/** Each name that more than one exported type of the house has, with the files that export it. */
export function doubledTypes(sources: readonly Source[]): Map<string, string[]> {
  const ours = sources.filter(
    ({ path }) => /^(?:store|agent|server|web)\//.test(path) && !path.startsWith(TEMPLATES),
  );
  const files = new Map<string, string[]>();
  for (const { path, text } of ours)
    for (const [, name = ""] of text.matchAll(EXPORTED)) files.set(name, [...(files.get(name) ?? []), path]);
  return new Map([...files].filter(([, paths]) => paths.length > 1).sort());
}
