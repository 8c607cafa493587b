import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../version.ts";

/** `[name@version, registry, metadata, integrity]`; packages of the workspace have their name alone. */
type LockedPackage = readonly unknown[];

/** A component of CycloneDX 1.6 (ECMA-424). */
type BillComponent = {
  type: "library";
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: "SHA-512"; content: string }[];
  licenses?: { expression: string }[];
};

/**
 * Returns a software bill of materials in the JSON format of CycloneDX 1.6: every package of `bun.lock` with its version,
 * hash and licence. It has no serial number and no time, so that the same sources give the same text.
 */
export function billOfMaterials(root: string): object {
  const lock = Bun.JSONC.parse(readFileSync(join(root, "bun.lock"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const components = new Map<string, BillComponent>();
  for (const [path, locked] of Object.entries(lock.packages)) {
    const component = componentOf(root, path, locked);
    if (component) components.set(component.purl, component);
  }
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "berth", version: VERSION } },
    components: [...components.keys()].sort().map((purl) => components.get(purl)),
  };
}

/** Returns undefined for a package of the workspace, which is Berth itself. */
function componentOf(root: string, path: string, locked: LockedPackage): BillComponent | undefined {
  const [id, , about, integrity] = locked;
  if (typeof id !== "string") return undefined;
  const at = id.lastIndexOf("@");
  const [name, version] = [id.slice(0, at), id.slice(at + 1)];
  if (version.startsWith("workspace:")) return undefined;
  const component: BillComponent = {
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  };
  if (typeof integrity === "string" && integrity.startsWith("sha512-"))
    component.hashes = [
      { alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") },
    ];
  // Packages of one system are installed on that system only, and the text must not depend on the machine.
  const isEverywhere = !["os", "cpu"].some((key) => Object.hasOwn(Object(about), key));
  const license = isEverywhere && licenseOf(join(root, "node_modules", path, "package.json"), version);
  if (license) component.licenses = [{ expression: license }];
  return component;
}

/** Returns the SPDX expression of an installed package of that version; undefined for others. */
function licenseOf(manifest: string, version: string): string | undefined {
  if (!existsSync(manifest)) return undefined;
  const about: unknown = JSON.parse(readFileSync(manifest, "utf8"));
  if (typeof about !== "object" || about === null) return undefined;
  const { license, version: installed } = about as { license?: unknown; version?: unknown };
  return installed === version && typeof license === "string" ? license : undefined;
}
