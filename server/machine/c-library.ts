import type { FFIFunction } from "bun:ffi";

const MUSL_ARCH = process.arch === "arm64" ? "aarch64" : "x86_64";
/** Names of the C library by platform: glibc and musl on Linux. */
const NAMES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ["libc.so.6", `libc.musl-${MUSL_ARCH}.so.1`],
  darwin: ["libSystem.B.dylib"],
};

/** Returns functions of the C library that this process runs on; undefined where there is none. */
export async function openCLibrary<Functions extends Record<string, FFIFunction>>(functions: Functions) {
  // Loaded here, because no start needs it.
  const { dlopen } = await import("bun:ffi");
  for (const name of NAMES[process.platform] ?? [])
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // Linux has one of the two.
    }
  return undefined;
}
