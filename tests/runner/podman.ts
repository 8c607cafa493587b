/** Installs what runs containers where that takes no question: as root with apt. The tests say what they lack. */
export async function ensurePodman(): Promise<void> {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !Bun.which("apt-get")) return;
  const missing = ["podman", "runc"].filter((name) => !Bun.which(name));
  if (missing.length === 0) return;
  console.log(`Installing ${missing.join(" and ")} for the tests of containers …`);
  await apt("update");
  await apt("install", "-y", "--no-install-recommends", ...missing);
}

async function apt(...args: string[]): Promise<void> {
  const child = Bun.spawn(["apt-get", "-qq", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await child.exited;
}
