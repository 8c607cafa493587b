import { logger, startProcessLog } from "../log/index.ts";
import { openCLibrary } from "../machine/index.ts";
import type { FoundSetting, Settings } from "../settings/index.ts";

/** What waits for this process to be ready: systemd, with `Type=notify`. */
export type ServiceManager = { tell(state: string): void };

const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 0x2 | 0x80000;
const MSG_NOSIGNAL = 0x4000;
const NOBODY: ServiceManager = { tell: () => undefined };

/**
 * Finds out who waits, and hides it from what this process starts: deployed agents have nothing to tell there. Bun has
 * no unix datagrams, so the C library sends them (sd_notify(3)).
 */
export async function serviceManager(environment: NodeJS.ProcessEnv): Promise<ServiceManager> {
  const { NOTIFY_SOCKET: path } = environment;
  delete environment.NOTIFY_SOCKET;
  if (process.platform !== "linux" || !path || !/^[/@]/.test(path)) return NOBODY;
  const address = addressOf(path);
  const { FFIType, ptr } = await import("bun:ffi");
  const symbols = {
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    sendto: {
      args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.ptr, FFIType.u32],
      returns: FFIType.i64,
    },
    close: { args: [FFIType.i32], returns: FFIType.i32 },
  } as const;
  const libc = await openCLibrary(symbols);
  const tell = (state: string) => {
    const bytes = Buffer.from(state);
    const socket = libc?.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0) ?? -1;
    const sent =
      libc && socket >= 0
        ? libc.sendto(socket, ptr(bytes), bytes.length, MSG_NOSIGNAL, ptr(address), address.length)
        : -1;
    if (socket >= 0) libc?.close(socket);
    if (Number(sent) !== bytes.length)
      logger("service").warn`the service manager at ${path} could not be told ${state.split("\n")[0]}`;
  };
  return { tell };
}

/** `struct sockaddr_un`; a name that begins with `@` is in no file system. */
function addressOf(path: string): Buffer {
  const name = Buffer.from(path.startsWith("@") ? `\0${path.slice(1)}` : `${path}\0`);
  const family = Buffer.alloc(2);
  new DataView(family.buffer, family.byteOffset).setUint16(
    0,
    AF_UNIX,
    new Uint8Array(new Uint16Array([1]).buffer)[0] === 1,
  );
  return Buffer.concat([family, name]);
}

/** Settings with where each came from. */
export type SettingsReading = { settings: Settings; found: readonly FoundSetting[] };

/** What counts from then on; everything else is for the next start. */
const AT_ONCE = new Set(["LOG_LEVEL", "LOG_FORMAT", "LOG_JSON"]);
const log = logger("settings");

/**
 * Takes signals that others send to a service and that would end it: SIGHUP reads the settings again, the two that log
 * rotators like to send mean nothing, since the log is standard output.
 */
export function onHangup(first: SettingsReading, read: () => SettingsReading): void {
  let before = first;
  if (process.stdin.isTTY !== true) process.on("SIGHUP", again);
  function again(): void {
    try {
      const now = read();
      const changed = changedNames(before.found, now.found);
      before = now;
      startProcessLog(now.settings);
      log.info("settings read again", {
        changed: changed.filter((name) => AT_ONCE.has(name)),
        at_next_start: changed.filter((name) => !AT_ONCE.has(name)),
      });
    } catch (error) {
      log.error("settings could not be read again, and stay as they are", { error });
    }
  }
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const)
    process.on(signal, () => log.info("signal without a meaning", { signal }));
}

function changedNames(before: readonly FoundSetting[], now: readonly FoundSetting[]): string[] {
  const given = new Map(before.map(({ names, found }) => [names[0], found?.given]));
  return now.flatMap(({ names: [name = ""], found }) => (given.get(name) === found?.given ? [] : [name]));
}
