import { Fault } from "@berth/store";

/** A project's own refusal, with the status, the words and the headers that it chose. */
export class AuthRefusal extends Fault {
  override name = "AuthRefusal";

  constructor(
    message: string,
    readonly status: number,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/**
 * What a project threw as a refusal, by shape: its `HTTPException` is of its own copy of the SDK. Undefined for
 * any other failure.
 */
export function refusalOf(thrown: unknown): AuthRefusal | undefined {
  if (typeof thrown !== "object" || thrown === null || !("status" in thrown)) return undefined;
  const { status } = thrown;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 400 || status > 599)
    return undefined;
  const message = "message" in thrown && typeof thrown.message === "string" ? thrown.message : "";
  return new AuthRefusal(message || "Not authorized", status, headersOf(thrown));
}

function headersOf(thrown: object): Record<string, string> {
  if (!("headers" in thrown) || !thrown.headers) return {};
  try {
    return Object.fromEntries(new Headers(thrown.headers as ConstructorParameters<typeof Headers>[0]));
  } catch {
    return {};
  }
}
