import { install, installOptional } from "./apt.ts";

/** Installs what runs containers, where it can. The tests say what they lack. */
export async function ensurePodman(): Promise<void> {
  const missing = ["podman", "runc"].filter((name) => !Bun.which(name));
  if (missing.length > 0) await install(missing, "the tests of containers");
  if (!Bun.which("skopeo")) await installOptional("skopeo", "the tests of the registry");
}
