// Starts a program of this repository where Bun is there and nothing else:
// `bun server/bootstrap.ts MODULE [ARGUMENT…]`. What is missing is installed first. Nothing from node_modules
// may be imported here, and the module runs in this very process: signals, pipes and exit codes are its own.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { compiledAhead, compileLater, PROGRAM } from "./ahead/index.ts";

const root = resolve(import.meta.dir, "..");
const stamp = join(root, "node_modules", ".berth-installed");
const [, self = "", module, ...rest] = process.argv;

if (module === undefined) {
  process.stderr.write("berth: name the module to start\n");
  process.exit(1);
}
const wanted = lockHash();
if (installedHash() !== wanted) install(wanted);
const ahead = compiledAhead(root, module);
const program = ahead ?? join(root, module);
process.argv.splice(1, process.argv.length, program, ...rest);
await import(program);
if (module === PROGRAM && rest[0] === "start" && !ahead) compileLater(root);

/** What the dependencies are: a change of the lock file, whoever made it, installs again. */
function lockHash(): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(join(root, "bun.lock"))).digest("hex");
}

function installedHash(): string | undefined {
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : undefined;
}

/** Installs with the Bun that runs this, and starts over: it has already looked for packages and remembers. */
function install(hash: string): void {
  process.stderr.write("Installing the dependencies, this once …\n");
  // No summary: it would warn of the one script that is kept from running on purpose.
  const { exitCode } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--no-summary"], {
    cwd: root,
    stdin: "ignore",
    stdout: 2,
    stderr: "inherit",
  });
  if (exitCode !== 0) {
    process.stderr.write("berth: the dependencies could not be installed; see above\n");
    process.exit(1);
  }
  writeFileSync(stamp, hash);
  const again = [process.execPath, ...process.execArgv, self, ...process.argv.slice(2)];
  if (process.execve) process.execve(process.execPath, again);
  const { exitCode: code } = Bun.spawnSync(again, {
    stdio: ["inherit", "inherit", "inherit"],
  });
  process.exit(code ?? 1);
}
