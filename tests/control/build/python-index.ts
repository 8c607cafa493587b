import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** An index of Python packages on loopback, with the names that it was asked for. */
export type PythonIndex = {
  /** What `PIP_INDEX_URL` and `UV_DEFAULT_INDEX` say. */
  url: string;
  asked: string[];
  /** Publishes a package of one module, whose text is given; a second one of the same version replaces it. */
  publish(name: string, version: string, module: string): void;
  stop(): Promise<void>;
};

// A wheel is a zip file; Python makes one without a package.
const WHEEL = `
import sys, zipfile
path, name, version, module, text = sys.argv[1:]
info = f"{name.replace('-', '_')}-{version}.dist-info"
with zipfile.ZipFile(path, "w") as wheel:
    wheel.writestr(module, text)
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/RECORD", "")
`;

/** @param python makes the packages */
export function startPythonIndex(folder: string, python: string): PythonIndex {
  mkdirSync(folder, { recursive: true });
  const files = new Map<string, string>();
  const asked: string[] = [];
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const [, kind, name = ""] = new URL(url).pathname.split("/");
      if (kind === "files") return new Response(readFileSync(join(folder, name)));
      asked.push(name);
      const found = files.get(name);
      if (found === undefined) return new Response("none", { status: 404 });
      const hash = new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, found))).digest("hex");
      return new Response(`<html><body><a href="/files/${found}#sha256=${hash}">${found}</a></body></html>`, {
        headers: { "content-type": "text/html" },
      });
    },
  });
  return {
    url: `${server.url}simple/`,
    asked,
    publish(name, version, text) {
      const file = `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`;
      const module = `${name.replaceAll("-", "_")}/graph/__init__.py`;
      const script = join(folder, "wheel.py");
      writeFileSync(script, WHEEL);
      const words = [python, script, join(folder, file), name, version, module, text];
      const { exitCode, stderr } = Bun.spawnSync(words, { env: {} });
      if (exitCode !== 0) throw new Error(stderr.toString());
      files.set(name, file);
    },
    stop: () => server.stop(true),
  };
}
