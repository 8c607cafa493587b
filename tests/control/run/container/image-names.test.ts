import { expect, test } from "bun:test";
import {
  digestOf,
  isNamed,
  keptName,
  mayHaveMoved,
  readReference,
} from "../../../../server/control/run/container/reference.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;
const read = (text: string) => readReference(text)?.text;

test("names of images are read, with a tag in any case", () => {
  expect(read("agent")).toBe("agent:latest");
  expect(read("team/agent:1.2")).toBe("team/agent:1.2");
  expect(read("ghcr.io/team/agent")).toBe("ghcr.io/team/agent:latest");
  expect(read("localhost:5000/agent")).toBe("localhost:5000/agent:latest");
  expect(read("registry.example:443/a/b/c:x@")).toBeUndefined();
  expect(read(`ghcr.io/team/agent:1@${DIGEST}`)).toBe(`ghcr.io/team/agent@${DIGEST}`);
});

test("what could mean something else to an engine is no name", () => {
  for (const text of [
    "--privileged",
    "-v",
    "",
    ":1",
    "a//b",
    "../a",
    "a b",
    "docker-archive:/etc/x",
    DIGEST,
    "A/b",
  ])
    expect({ text, read: read(text) }).toEqual({ text, read: undefined });
  for (const text of [
    "oci:/etc",
    "docker://x/y",
    "a@b",
    `a@${DIGEST}@${DIGEST}`,
    "a:$(id)",
    "a\n",
    "/etc/passwd",
  ])
    expect({ text, read: read(text) }).toEqual({ text, read: undefined });
  // The beginning of an image's id would find it; with a tag it is a name.
  expect(read("abcdef012345")).toBe("abcdef012345:latest");
});

test("a deployment's own image has a name that nobody can ask for", () => {
  const name = keptName("01a20000-0000-7000-8000-000000000000", "01a20000-0000-7000-8000-000000000001");
  expect(read(name)).toBeUndefined();
  expect(read("localhost/berthold:1")).toBe("localhost/berthold:1");
});

test("a registry's tags are asked for again, a digest and what was built here are not", () => {
  const moved = (text: string) => {
    const reference = readReference(text);
    return reference && mayHaveMoved(reference);
  };
  for (const text of ["ghcr.io/team/agent", "ghcr.io/team/agent:1.0", "localhost:5000/agent"])
    expect({ text, moved: moved(text) }).toEqual({ text, moved: true });
  for (const text of ["agent", "agent:1", "localhost/agent:1", `ghcr.io/team/agent@${DIGEST}`])
    expect({ text, moved: moved(text) }).toEqual({ text, moved: false });
});

test("a registry's digest of an image is the one under the name that was asked for", () => {
  const other = DIGEST.replace("sha256:", "sha256:f").slice(0, DIGEST.length);
  const digest = (text: string, names: string[]) => {
    const reference = readReference(text);
    return reference && digestOf({ id: DIGEST, names, digest: other }, reference);
  };
  const names = [`ghcr.io/team/other@${other}`, "ghcr.io/team/agent:1", `ghcr.io/team/agent@${DIGEST}`];
  expect(digest("ghcr.io/team/agent:1", names)).toBe(DIGEST);
  expect(digest(`ghcr.io/team/agent@${DIGEST}`, names)).toBe(DIGEST);
  expect(digest("agent:1", [`docker.io/library/agent@${DIGEST}`])).toBe(DIGEST);
  expect(digest("localhost:5000/agent", [`localhost:5000/agent@${DIGEST}`])).toBe(DIGEST);
  expect(digest("ghcr.io/team/agent:1", ["ghcr.io/team/agent:1"])).toBeNull();
  const both = [`ghcr.io/team/agent@${other}`, `ghcr.io/team/agent@${DIGEST}`];
  expect(digest("ghcr.io/team/agent:1", both)).toBe(DIGEST);
  expect(digest("ghcr.io/team/agent:1", both.slice(0, 1))).toBe(other);
});

test("a transport of an engine is no name, with or without a tag, nor in front of what looks like a port", () => {
  const transports = ["containers-storage", "dir", "docker", "docker-archive", "docker-daemon", "oci"];
  for (const transport of [...transports, "oci-archive", "ostree", "sif", "tarball"])
    for (const text of [transport, `${transport}:0ab`, `${transport}:0ab/x`, `${transport}:5000/x:1`])
      expect({ text, read: read(text) }).toEqual({ text, read: undefined });
  expect(read(`containers-storage@${DIGEST}`)).toBeUndefined();
  for (const text of ["dirs:1", "team/dir:1", "oci.example/agent:1", "docker.io/dir:1"])
    expect({ text, read: read(text) }).toEqual({ text, read: text });
});

test("an image with a deployment's name needs the one that was asked for as well", () => {
  const kept = keptName("01a20000-0000-7000-8000-000000000000", "01a20000-0000-7000-8000-000000000001");
  const own = [kept, `${kept.replace(/:[^:]+$/, "")}@${DIGEST}`];
  const named = (text: string, names: string[]) => {
    const reference = readReference(text);
    return reference && isNamed({ names }, reference);
  };
  // As Podman finds it, by the end of its name.
  for (const text of [kept.replace("localhost/berth/", ""), kept.replace("localhost/", "")])
    expect({ text, named: named(text, own) }).toEqual({ text, named: false });
  expect(named("agent", own)).toBe(false);
  expect(named("agent", [])).toBe(true);
  expect(named("agent", ["localhost/agent:latest"])).toBe(true);
  // Somebody uploaded the very image that another one names.
  expect(named("agent", [...own, "localhost/agent:latest"])).toBe(true);
  expect(named("agent", [...own, "docker.io/library/agent:latest"])).toBe(true);
  expect(named("docker.io/library/agent:1", [...own, "agent:1"])).toBe(true);
  expect(named("ghcr.io/team/agent:1", [...own, "ghcr.io/team/agent:1"])).toBe(true);
  expect(named("ghcr.io/team/agent:1", [...own, "quay.io/ghcr.io/team/agent:1"])).toBe(false);
  expect(named(`ghcr.io/team/agent@${DIGEST}`, [...own, `ghcr.io/team/agent@${DIGEST}`])).toBe(true);
  expect(named(`ghcr.io/team/other@${DIGEST}`, own)).toBe(false);
});
