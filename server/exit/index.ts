type Exits = "exit" | "reallyExit" | "abort" | "kill";

/** What a project's code tried: to end the process that serves everybody. */
class ExitRefused extends Error {
  override name = "ExitRefused";

  constructor(call: string) {
    super(
      `${call} was called by the project's code: it would end Berth and everybody's runs, so it throws instead`,
    );
  }
}

/**
 * From now on `process.exit` and its like throw, whoever calls them: a node that calls one fails its run, a module
 * that does so while it is loaded cannot be loaded. Berth's own way is `leave`.
 * @returns what takes that back
 */
export function refuseExits(): () => void {
  const { exit, reallyExit, abort } = process as unknown as Record<Exits, unknown>;
  const real = { exit, reallyExit, abort, kill: process.kill };
  const kill = process.kill.bind(process);
  for (const name of ["exit", "reallyExit", "abort"] as const) {
    put(name, function refused(code?: unknown): never {
      throw refusalOf(`process.${name}(${typeof code === "number" ? code : ""})`, refused);
    });
  }
  put("kill", function refused(pid: number, signal?: string | number) {
    if (isOwn(pid) && signal !== 0) throw refusalOf(`process.kill(${pid})`, refused);
    return kill(pid, signal);
  });
  return () => {
    for (const name of ["exit", "reallyExit", "abort", "kill"] as const) put(name, real[name]);
  };
}

/** Its stack begins where the project called. */
function refusalOf(call: string, refused: (...given: never[]) => unknown): ExitRefused {
  const refusal = new ExitRefused(call);
  Error.captureStackTrace(refusal, refused);
  return refusal;
}

/** Zero and -1 are groups that this process is in. */
const isOwn = (pid: number): boolean =>
  pid === process.pid || pid === 0 || pid === -1 || pid === -process.pid;

function put(name: Exits, value: unknown): void {
  Object.defineProperty(process, name, { value, configurable: true, writable: true });
}

const own = process as unknown as { exit: unknown; reallyExit: unknown };
const { exit, reallyExit } = own;

/** Ends this process. Only Berth's own code has this: a project's may not (`refuseExits`). */
export function leave(code: number): never {
  // The one calls the other.
  for (const [name, value] of Object.entries({ exit, reallyExit }))
    Object.defineProperty(process, name, { value, configurable: true, writable: true });
  return process.exit(code);
}

/** Something that the operator has to change; the message is one line and says what. */
export class StartError extends Error {
  override name = "StartError";
}
