/** The machines that Bun makes executables for, and Berth means to run on. */
export const TARGETS: readonly string[] = [
  "linux-x64",
  "linux-x64-musl",
  "linux-arm64",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "windows-x64",
  "windows-arm64",
];
