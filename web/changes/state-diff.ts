/** One difference between two states. */
export type StateChange = {
  /** Where, as in `files.notes.md` or `messages[3]`. */
  path: string;
  kind: "added" | "removed" | "changed";
  before?: unknown;
  after?: unknown;
};

type Fields = Record<string, unknown>;

/** Beyond this a difference is told as a whole: nobody reads it key by key. */
const DEEPEST = 4;

/** What changed from one state to the next, key by key, in the order of the keys. */
export function stateDiff(before: unknown, after: unknown, path = "", depth = 0): StateChange[] {
  if (isSame(before, after)) return [];
  if (before === undefined) return [{ path, kind: "added", after }];
  if (after === undefined) return [{ path, kind: "removed", before }];
  if (depth < DEEPEST) {
    if (Array.isArray(before) && Array.isArray(after)) return listDiff(before, after, path, depth);
    if (isFields(before) && isFields(after)) return fieldsDiff(before, after, path, depth);
  }
  return [{ path, kind: "changed", before, after }];
}

/** The keys of a state that changed, lists with how much longer or shorter they became. */
export function changedKeys(stateBefore: unknown, stateAfter: unknown): string[] {
  const before = fieldsOf(stateBefore);
  const after = fieldsOf(stateAfter);
  return Object.keys({ ...before, ...after })
    .filter((key) => !isSame(before[key], after[key]))
    .map((key) => {
      const growth = lengthOf(after[key]) - lengthOf(before[key]);
      return growth === 0 ? key : `${key} ${growth > 0 ? "+" : "−"}${Math.abs(growth)}`;
    });
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);

function fieldsDiff(before: Fields, after: Fields, path: string, depth: number): StateChange[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    stateDiff(before[key], after[key], path ? `${path}.${key}` : key, depth + 1),
  );
}

/** Entries with an id, as messages have, are matched by it, so that one removed in the middle moves nothing. */
function listDiff(before: unknown[], after: unknown[], path: string, depth: number): StateChange[] {
  const key = (entry: unknown, index: number) =>
    isFields(entry) && typeof entry.id === "string" ? entry.id : `#${index}`;
  const old = new Map(before.map((entry, index) => [key(entry, index), { entry, index }]));
  const changes = after.flatMap((entry, index) => {
    const id = key(entry, index);
    const match = old.get(id);
    old.delete(id);
    return stateDiff(match?.entry, entry, `${path}[${index}]`, depth + 1);
  });
  const removed = [...old.values()].map(
    ({ entry, index }): StateChange => ({ path: `${path}[${index}]`, kind: "removed", before: entry }),
  );
  return [...removed, ...changes];
}

const fieldsOf = (state: unknown): Fields => (isFields(state) ? state : {});

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
