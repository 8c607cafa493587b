/** Every code that a protocol error may have (`streaming-protocol.md` §2.1). */
export type ErrorCode =
  | "invalid_argument"
  | "unknown_command"
  | "unknown_error"
  | "no_such_run"
  | "no_such_subscription"
  | "no_such_namespace"
  | "no_such_interrupt"
  | "no_such_checkpoint"
  | "permission_denied"
  | "not_supported";

export type CommandValues = Record<string, unknown>;

/** What a command came to; `meta` tells where the thread's log stands then. */
export type CommandResult = { result: CommandValues; meta?: CommandValues };

/** The answer to a command as it goes over the wire. */
export type CommandReply =
  | ({ type: "success"; id: number } & CommandResult)
  | { type: "error"; id: number | null; error: ErrorCode; message: string; meta?: CommandValues };

/** A command that cannot be done; its code and its message are the reply. */
export class ProtocolError extends Error {
  override name = "ProtocolError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly meta?: CommandValues,
  ) {
    super(message);
  }
}

export function errorReply(id: number | null, { code, message, meta }: ProtocolError): CommandReply {
  return { type: "error", id, error: code, message, ...(meta && { meta }) };
}
