import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { comparable, normalise } from "../../../agent/engine/fingerprint/message.ts";

export type LabelledText = { kind: string; label: string; type: string | null; text: string };

type File = { kind: string; groups: { label: string; type?: string; texts: string[] }[] };

/** The texts of a folder below `labelled`, each with the label that a person gave it. */
export function labelledTexts(folder: string): LabelledText[] {
  const dir = join(import.meta.dir, "labelled", folder);
  return readdirSync(dir)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const { kind, groups }: File = JSON.parse(readFileSync(join(dir, name), "utf8"));
      return groups.flatMap(({ label, type, texts }) =>
        texts.map((text) => ({ kind, label: `${kind}: ${label}`, type: type ?? null, text })),
      );
    });
}

export type Quality = {
  texts: number;
  labels: number;
  /** Texts that share a fingerprint with texts of another label, and are fewer there. */
  merged: LabelledText[];
  /** Texts that have not the fingerprint that most of their label have. */
  split: LabelledText[];
};

/** How well fingerprints meet the labels. Node and tool are left out, though they would help: the text alone counts. */
export function quality(texts: LabelledText[]): Quality {
  const print = ({ type, text }: LabelledText) => {
    const { error_type, message } = normalise(type, text);
    return `${error_type}: ${comparable(message)}`;
  };
  const astray = (by: (text: LabelledText) => string, wanted: (text: LabelledText) => string) =>
    [...Map.groupBy(texts, by).values()].flatMap((group) => {
      const counts = [...Map.groupBy(group, wanted).values()].sort((a, b) => b.length - a.length);
      return counts.slice(1).flat();
    });
  const label = (text: LabelledText) => text.label;
  return {
    texts: texts.length,
    labels: new Set(texts.map(label)).size,
    merged: astray(print, label),
    split: astray(label, print),
  };
}

export const shown = ({ type, text }: LabelledText) => {
  const { error_type, message } = normalise(type, text);
  return `${error_type}: ${message}`;
};
