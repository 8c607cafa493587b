import type { PythonFault } from "./messages.ts";

/** A worker has ended: what it was asked for is not answered. */
export class WorkerLost extends Error {
  override name = "WorkerLost";

  /** @param byOthers something ended it, such as a signal: it did not end by itself */
  constructor(
    message: string,
    readonly byOthers = false,
  ) {
    super(message);
  }
}

/** The project cannot be loaded, or its graph cannot be made. */
export class PythonProjectFault extends Error {
  override name = "PythonProjectFault";
}

/** An error of a worker as one of ours, with its name, its places and what it was caused by. */
export function errorOf(fault: PythonFault): Error {
  const { name, message, stack, code, status_code, fingerprint, headers, cause } = fault;
  if (name === "ProjectError") return new PythonProjectFault(message);
  const error = new Error(message, cause && { cause: errorOf(cause) });
  return Object.assign(error, {
    name,
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
    ...(status_code !== undefined && { status: status_code }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(headers !== undefined && { headers }),
  });
}
