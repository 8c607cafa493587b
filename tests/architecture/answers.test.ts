import { expect, test } from "bun:test";
import { readSources, type Source } from "./source.ts";

/** `api<Deployment>(…)`, `useResource<…>(…)`: what comes of a request, in the words of a page. */
const ASKED = /\b(?:api|request|use(?:Resources?|Pages))<((?:[^<>()]|<[^<>()]*>)+)>\(/g;
/** A type that is written out, field by field. */
const WRITTEN_OUT = /^(?:export )?type (\w+)(?:<[^>]*>)? =\s*(?:readonly )?\{/gm;

/** Names that come from another file of the pages. */
const FROM_ASIDE = /import (?:type )?\{([^}]*)\} from "\./g;

const writtenOut = ({ text }: Source) => [...text.matchAll(WRITTEN_OUT)].map(([, name = ""]) => name);

/** Each answer whose shape a page writes down itself, and does not take from `@berth/server`. */
function copiedAnswers(sources: readonly Source[]): string[] {
  const pages = sources.filter(({ path }) => path.startsWith("web/"));
  const anywhere = new Set(pages.flatMap(writtenOut));
  return pages.flatMap((page) => {
    const { path, text } = page;
    const aside = [...text.matchAll(FROM_ASIDE)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
    const own = new Set([...writtenOut(page), ...aside.filter((name) => anywhere.has(name))]);
    return [...text.matchAll(ASKED)].flatMap(([, type = ""]) => {
      const isCopy = type.includes("{") || (type.match(/\w+/g) ?? []).some((name) => own.has(name));
      return isCopy ? [`${path}: ${type}`] : [];
    });
  });
}

test("pages take the shapes of answers from the server", () => {
  expect(copiedAnswers(readSources())).toEqual([]);
});

test("one that a page writes down is found", () => {
  const page = (text: string): Source => ({ path: "web/console/page.tsx", text, imports: [] });
  const aside = page("export type Cron = { cron_id: string };");
  const found = (text: string) => copiedAnswers([aside, page(text)]);
  expect(found('useResource<{ resources: Trace[] }>("/v1/traces")')).toHaveLength(1);
  expect(found('type Key = {\n  id: string;\n};\napi<Key[]>("/v1/keys")')).toHaveLength(1);
  expect(found('import type { Cron } from "./cron.ts";\nusePages<Cron>("/runs/crons/search")')).toHaveLength(
    1,
  );
  expect(found('import type { Key } from "@berth/server";\napi<Pick<Key, "id">>("/v1/keys")')).toEqual([]);
});
