/** Installs packages of the system where that takes no question: as root with apt. */
export async function install(names: readonly string[], what: string): Promise<void> {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !Bun.which("apt-get")) return;
  console.log(`Installing ${names.join(" and ")} for ${what} …`);
  await apt("update");
  await apt("install", "-y", "--no-install-recommends", ...names);
}

async function apt(...args: string[]): Promise<void> {
  const child = Bun.spawn(["apt-get", "-qq", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await child.exited;
}
