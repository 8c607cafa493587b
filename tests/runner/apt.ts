const ASKS_NOTHING = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
/** For what only makes a run shorter: a machine without a network is soon told so. */
const OPTIONAL_LIMIT_MS = 60_000;

/** Whether packages of the system can be installed without a question: as root with apt. */
const mayInstall = () => process.platform === "linux" && process.getuid?.() === 0 && !!Bun.which("apt-get");

/** Installs packages of the system where that takes no question. */
export async function install(names: readonly string[], what: string): Promise<void> {
  if (!mayInstall()) return;
  console.log(`Installing ${names.join(" and ")} for ${what} …`);
  await apt("update");
  await apt("install", "-y", "--no-install-recommends", ...names);
}

async function apt(...args: string[]): Promise<void> {
  const child = Bun.spawn(["apt-get", "-qq", ...args], {
    env: ASKS_NOTHING,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await child.exited;
}

/** The same with a package that tests do without, where apt knows it and need not remove another for it. */
export async function installOptional(name: string, what: string): Promise<void> {
  if (!mayInstall() || !known(name)) return;
  console.log(`Installing ${name} for ${what} …`);
  const get = ["apt-get", "-qq", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10"];
  const command = [...get, "install", "-y", "--no-remove", "--no-install-recommends", name];
  const quietly = (...more: string[]) =>
    Bun.spawn([...command, ...more], { env: ASKS_NOTHING, stdio: ["ignore", "ignore", "ignore"] });
  // Only the network keeps it waiting, and may be left: what is half installed may not.
  const fetching = quietly("--download-only");
  const limit = setTimeout(() => fetching.kill(), OPTIONAL_LIMIT_MS);
  const fetched = await fetching.exited;
  clearTimeout(limit);
  if (fetched !== 0 || (await quietly().exited) !== 0)
    console.log(`${name} cannot be installed here: it goes without.`);
}

const known = (name: string): boolean =>
  Bun.spawnSync(["apt-cache", "show", name], { stdio: ["ignore", "ignore", "ignore"] }).exitCode === 0;
