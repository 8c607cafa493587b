import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprintOf } from "../../../agent/engine/fingerprint/fingerprint.ts";
import { settled } from "../../../agent/engine/fingerprint/kinds.ts";
import { Grouping } from "../../../agent/engine/grouping.ts";
import { randomOf } from "../../e2e/crash-load.ts";

/** Folders below `labelled`: who writes the rules has read these. Each is one project. */
export const IN_SIGHT = [
  "",
  "held-out",
  "grouping",
  "looked-at",
  "claims",
  "trades",
  "houses",
  "other-services",
];
/** Was held back until the rules had been measured by it; who writes the rules has read it since. */
export const READ_SINCE = ["held-back-second"];
/** Nobody who writes the rules looks into these: what they show is what to expect of texts that nobody has tried. */
export const HELD_BACK = ["held-back-third"];
export const ALL_SETS = [...IN_SIGHT, ...READ_SINCE, ...HELD_BACK];

type Cause = { type: string | null; message: string | null; code: string | null; stack: string | null };

export type LabelledFailure = {
  kind: string;
  /** The group that a careful person put it into: what is the same thing to mend. */
  label: string;
  /** The group that it belongs to where nobody knows the place: some groups only the place tells apart. */
  labelWithoutPlace: string;
  /** Where the stacks of a file are those of one program, its name. */
  project: string | null;
  text: string;
  type: string | null;
  node: string | null;
  tool: string | null;
  /** As the runtime prints it. */
  stack: string | null;
  code: string | null;
  status: number | null;
  cause: Cause | null;
};

type Details = Partial<Pick<LabelledFailure, "type" | "node" | "tool" | "stack" | "code" | "status">> & {
  cause?: Partial<Cause>;
};
type Group = Details & {
  label: string;
  withoutPlace?: string;
  /** The reason of the label, where it is not plain. */
  why?: string;
  texts: (string | (Details & { text: string }))[];
};
type File = { kind: string; project?: boolean; groups: Group[] };

/** The failures of a folder below `labelled` in the order of its files; a text's own details win over its group's. */
export function labelledFailures(folder: string): LabelledFailure[] {
  const dir = join(import.meta.dir, "labelled", folder);
  return readdirSync(dir)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => failuresOf(JSON.parse(readFileSync(join(dir, name), "utf8"))));
}

function failuresOf({ kind, project, groups }: File): LabelledFailure[] {
  return groups.flatMap(({ label, withoutPlace, why: _, texts, ...shared }) =>
    texts.map((entry) => {
      const { text, cause, ...own } = { ...shared, ...(typeof entry === "string" ? { text: entry } : entry) };
      return {
        kind,
        label: `${kind}: ${label}`,
        labelWithoutPlace: withoutPlace ?? `${kind}: ${label}`,
        project: project ? kind : null,
        ...{ type: null, node: null, tool: null, stack: null, code: null, status: null },
        ...own,
        text,
        cause: cause ? { type: null, message: null, code: null, stack: null, ...cause } : null,
      };
    }),
  );
}

/**
 * The same failures as one node throws them all and keeps no stack: only what they say tells them apart. What is then
 * the same word for word is there once.
 */
export function fromSingleThrower(failures: LabelledFailure[]): LabelledFailure[] {
  const placeless = failures.map((failure) => ({
    ...failure,
    kind: "",
    label: failure.labelWithoutPlace,
    project: null,
    node: "agent",
    tool: null,
    stack: null,
    cause: failure.cause && { ...failure.cause, stack: null },
  }));
  return [...new Map(placeless.map((failure) => [JSON.stringify(failure), failure])).values()];
}

/** In an order that the seed decides, so that the texts of groups are mixed. */
export function shuffled<T>(items: T[], seed: number): T[] {
  const random = randomOf(seed);
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

export type Measured = {
  texts: number;
  groups: number;
  /** Groups of two or more texts: only those can be split. */
  several: number;
  split: { label: string; keys: string[] }[];
  /** The part of `several` that ended under more than one key, 0 to 1. */
  splitShare: number;
  lumped: { key: string; labels: string[] }[];
};

/** How a grouping meets the labels. `groupsOf` gets all failures in order and answers with a key for each. */
export function measured(
  failures: LabelledFailure[],
  groupsOf: (failures: LabelledFailure[]) => string[],
): Measured {
  const keys = groupsOf(failures);
  if (keys.length !== failures.length) throw new Error(`${keys.length} keys for ${failures.length} failures`);
  const pairs = failures.map(({ label }, at) => ({ label, key: keys[at] ?? "" }));
  const byLabel = [...Map.groupBy(pairs, ({ label }) => label)];
  const several = byLabel.filter(([, texts]) => texts.length > 1);
  const split = several
    .map(([label, texts]) => ({ label, keys: [...new Set(texts.map(({ key }) => key))] }))
    .filter(({ keys }) => keys.length > 1);
  const lumped = [...Map.groupBy(pairs, ({ key }) => key)]
    .map(([key, texts]) => ({ key, labels: [...new Set(texts.map(({ label }) => label))] }))
    .filter(({ labels }) => labels.length > 1);
  const splitShare = several.length === 0 ? 0 : split.length / several.length;
  return {
    texts: pairs.length,
    groups: byLabel.length,
    several: several.length,
    split,
    splitShare,
    lumped,
  };
}

/** The fingerprint of each failure, as the engine would give them one after the other. */
export function fingerprintsOf(failures: LabelledFailure[]): string[] {
  const grouping = new Grouping();
  const kinds = failures.map((failure) => grouping.kindOf(seenAs(failure)));
  return kinds.map((kind) => settled(kind).fingerprint);
}

/** What the engine compares of a failure. */
export const seenAs = ({ type, node, tool, text, stack, code, status, cause }: LabelledFailure) =>
  fingerprintOf({
    ...{ detector: "exception", error_type: type, node, tool, message: text },
    facts: {
      ...{ stack: stack ?? undefined, code: code ?? undefined, status: status ?? undefined },
      causes: cause ? [present(cause)] : undefined,
    },
  });

const present = (cause: Cause) =>
  Object.fromEntries(Object.entries(cause).filter(([, value]) => value !== null));
