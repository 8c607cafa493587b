import { expect, test } from "bun:test";
import { keptName, mayHaveMoved, readReference } from "../../../../server/control/run/container/reference.ts";

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

test("only a registry's latest is asked for again", () => {
  const moved = (text: string) => {
    const reference = readReference(text);
    return reference && mayHaveMoved(reference);
  };
  expect(moved("ghcr.io/team/agent")).toBe(true);
  for (const text of ["agent", "localhost/agent", "localhost:5000/agent", "ghcr.io/team/agent:1.0"])
    expect({ text, moved: moved(text) }).toEqual({ text, moved: false });
});
