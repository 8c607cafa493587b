import { boundWords, passedBound } from "@berth/store";
import { isRecord } from "../record.ts";
import { type CommandValues, ProtocolError } from "./reply.ts";

/** Reads what a command was given, field by field; null counts as absent. Each method throws a ProtocolError. */
export class Params {
  constructor(
    private readonly given: CommandValues,
    /** In front of a field's name when something is wrong with it. */
    private readonly inside = "",
  ) {}

  /** Everything that was given. */
  get all(): CommandValues {
    return this.given;
  }

  /** Whatever is there. */
  any(name: string): unknown {
    return this.given[name] ?? undefined;
  }

  text(name: string): string | undefined {
    const value = this.any(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(name, "a text");
  }

  requiredText(name: string): string {
    const text = this.text(name);
    if (!text) throw this.wrong(name, "a text");
    return text;
  }

  flag(name: string): boolean {
    const value = this.any(name) ?? false;
    if (typeof value === "boolean") return value;
    throw this.wrong(name, "true or false");
  }

  count(name: string, { least, most = Number.MAX_SAFE_INTEGER }: { least: number; most?: number }) {
    const value = this.any(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `between ${least} and ${most}`;
    throw this.wrong(name, `a whole number, ${range}`);
  }

  record(name: string): CommandValues | undefined {
    const value = this.any(name);
    if (value === undefined || isRecord(value)) return value;
    throw this.wrong(name, "an object");
  }

  /** An object, or whatever is there, within the bounds on metadata, config and context. */
  checkBounds(...names: string[]): void {
    for (const name of names) {
      const passed = passedBound(this.any(name));
      if (passed !== undefined) throw this.wrong(name, `within bounds: ${boundWords(passed)}`);
    }
  }

  /** The fields of an object inside; none when it is absent. */
  nested(name: string): Params {
    return new Params(this.record(name) ?? {}, `${this.inside}${name}.`);
  }

  list(name: string): unknown[] | undefined {
    const value = this.any(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.wrong(name, "a list");
  }

  texts(name: string): string[] | undefined {
    return this.list(name)?.map((element) => {
      if (typeof element === "string") return element;
      throw this.wrong(name, "a list of texts");
    });
  }

  /** Objects in a list, each to be read by itself. */
  records(name: string): Params[] | undefined {
    return this.list(name)?.map((element, index) => {
      if (isRecord(element)) return new Params(element, `${this.inside}${name}[${index}].`);
      throw this.wrong(name, "a list of objects");
    });
  }

  wrong(name: string, expected: string): ProtocolError {
    return new ProtocolError("invalid_argument", `${this.inside}${name} must be ${expected}`);
  }
}
