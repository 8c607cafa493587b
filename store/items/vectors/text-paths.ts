/**
 * The texts that a path leads to in a value: `$` for all of it, `a.b` for members, `a[0]`, `a[-1]` and `a[*]` for
 * elements, `*` for every member or element, `{a,b.c}` for several paths. Text, numbers and booleans give
 * themselves, objects and arrays their JSON; what is not there gives nothing.
 */
export function textsAt(value: unknown, path: string): string[] {
  let found: unknown[] = [value];
  for (const step of stepsOf(path)) found = found.flatMap((one) => follow(one, step));
  return found.flatMap(textOf);
}

/** Braces and brackets are steps of their own, whatever dots are in them. */
function stepsOf(path: string): string[] {
  return path.match(/\{[^}]*\}|\[[^\]]*\]|[^.[\]{}]+/g) ?? [];
}

function follow(value: unknown, step: string): unknown[] {
  if (step === "$") return [value];
  if (step.startsWith("{")) {
    const paths = step.slice(1, -1).split(",");
    return paths.flatMap((path) =>
      stepsOf(path.trim()).reduce((found, next) => found.flatMap((one) => follow(one, next)), [value]),
    );
  }
  if (value === null || typeof value !== "object") return [];
  if (step === "*") return Object.values(value);
  if (step.startsWith("[")) return Array.isArray(value) ? element(value, step.slice(1, -1)) : [];
  const member = Object.entries(value).find(([name]) => name === step);
  return member && !Array.isArray(value) ? [member[1]] : [];
}

function element(list: unknown[], index: string): unknown[] {
  if (index === "*") return list;
  const at = /^-?\d+$/.test(index) ? list.at(Number(index)) : undefined;
  return at === undefined ? [] : [at];
}

function textOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return [typeof value === "object" ? JSON.stringify(value) : String(value)];
}
