import type { Item } from "@berth/server";
import { WORDS } from "./words.tsx";

/** Labels hold no dots, so that they can stand between them. */
export const nameOf = (namespace: readonly string[]): string => namespace.join(".");
export const namespaceOf = (name: string): string[] => (name === "" ? [] : name.split("."));

export type Branch = { label: string; name: string; depth: number };

/** The namespaces as a tree, each behind the one that it is below; those that only lead to others, too. */
export function branchesOf(namespaces: readonly string[][]): Branch[] {
  const names = new Set(
    namespaces.flatMap((namespace) => namespace.map((_, at) => nameOf(namespace.slice(0, at + 1)))),
  );
  const order = (a: string, b: string) => (a.replaceAll(".", "\0") < b.replaceAll(".", "\0") ? -1 : 1);
  return [...names].sort(order).map((name) => {
    const labels = namespaceOf(name);
    return { label: labels.at(-1) ?? "", name, depth: labels.length - 1 };
  });
}

/** Whether a text is somewhere in an item, in any case. */
export function holdsText({ key, namespace, value }: Item, text: string): boolean {
  const wanted = text.toLowerCase();
  return `${nameOf(namespace)}\n${key}\n${JSON.stringify(value)}`.toLowerCase().includes(wanted);
}

/** A value in one line, as long as one looks at. */
export function previewOf(value: Record<string, unknown>): string {
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only && typeof only[1] === "string")
    return `${only[0]}: ${only[1]}`.slice(0, 200);
  return JSON.stringify(value).slice(0, 200);
}

/** What is wrong with a text that is to be an item's value; undefined when nothing is. */
export function valueFault(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? undefined : WORDS.mustBeJsonObject;
  } catch (error) {
    return WORDS.invalidJson(error instanceof Error ? error.message : error);
  }
}

export const namespaceFault = (name: string): string | undefined =>
  namespaceOf(name).some((label) => label === "") || name === "" ? WORDS.namespaceHint : undefined;
