import { Denied, Fault, Unauthenticated } from "@berth/store";
import { AuthRefusal } from "../auth/index.ts";
import { type Envelope, readEnvelope } from "./envelope.ts";
import { type CommandReply, type CommandResult, type ErrorCode, errorReply, ProtocolError } from "./reply.ts";

/** Reads a command, has it carried out, and makes a reply of what comes of it. */
export async function replyTo(
  given: unknown,
  carryOut: (envelope: Envelope) => Promise<CommandResult>,
): Promise<CommandReply> {
  let id: number | null = null;
  try {
    const envelope = readEnvelope(given);
    id = envelope.id;
    return { type: "success", id, ...(await carryOut(envelope)) };
  } catch (error) {
    if (error instanceof ProtocolError) return errorReply(id, error);
    if (error instanceof Fault) return errorReply(id, new ProtocolError(codeOf(error), error.message));
    throw error;
  }
}

function codeOf(fault: Fault): ErrorCode {
  const refused = [Denied, Unauthenticated, AuthRefusal].some((kind) => fault instanceof kind);
  return refused ? "permission_denied" : "invalid_argument";
}
