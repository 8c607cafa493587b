const WORDS: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/** For what containers of this machine are built, in the words of engines: `linux/amd64`. They are Linux everywhere. */
export function imagePlatform(arch: string = process.arch): string {
  return `linux/${WORDS[arch] ?? arch}`;
}
