import type { ComponentProps } from "react";
import { TextArea } from "../../ui/index.ts";
import { WORDS } from "./words.ts";

type JsonFieldProps = Omit<ComponentProps<typeof TextArea>, "error" | "value" | "onChange"> & {
  value: string;
  /** Only an object will do. */
  isObject?: boolean;
  onChange: (text: string) => void;
};

/** A text that is to be JSON, and what is wrong with it. */
export function JsonField({ value, isObject = false, onChange, ...rest }: JsonFieldProps) {
  const fault = isObject ? objectFault(value) : jsonFault(value);
  return (
    <TextArea
      {...rest}
      {...(fault !== undefined && { error: fault })}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** What is wrong with a text that is to be JSON; undefined when nothing is. No text is no value. */
export function jsonFault(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
  } catch (error) {
    return WORDS.invalidJson(error instanceof Error ? error.message : error);
  }
}

/** The same of a text that is to be a JSON object. */
export function objectFault(text: string): string | undefined {
  return jsonFault(text) ?? (isFields(readJson(text)) ? undefined : WORDS.mustBeJsonObject);
}

/**
 * The value of such a text; undefined where there is none.
 * @throws SyntaxError it is no JSON
 */
export const readJson = (text: string): unknown => (text.trim() === "" ? undefined : JSON.parse(text));

/** The object of a text without a fault; empty where there is none. */
export function readObject(text: string): Record<string, unknown> {
  const value = readJson(text);
  return isFields(value) && value !== undefined ? value : {};
}

function isFields(value: unknown): value is Record<string, unknown> | undefined {
  return value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));
}
