import { expect, test } from "bun:test";
import { isLocalPicture } from "../../../web/markdown/local-picture.ts";

const PAGE = "http://localhost:8123/console/runs/1";

test("what the text holds and what Berth itself has is shown at once", () => {
  for (const src of [
    "data:image/png;base64,AA==",
    "blob:http://localhost:8123/1",
    "/own/a.png",
    "b.png",
    "/api/d.png",
  ])
    expect([src, isLocalPicture(src, PAGE)]).toEqual([src, true]);
});

test("what is of a deployment, of elsewhere or no picture is not", () => {
  for (const src of [
    "/d/0197f0a0/a.png",
    "http://localhost:8123/d/0197f0a0",
    "/berth/d/0197f0a0/a.png",
    "../../d/0197f0a0/a.png",
    "/%64/0197f0a0/a.png",
    "/d%2F0197f0a0/a.png",
    "/%E0%A4%A/a.png",
    "/a/../d/0197f0a0/a.png",
    "\\d\\0197f0a0\\a.png",
    "https://pictures.example/a.png",
    "//pictures.example/a.png",
    "data:image/svg+xml,<svg/>",
    "data:text/html,x",
  ])
    expect([src, isLocalPicture(src, PAGE)]).toEqual([src, false]);
  // On the chat of a deployment, its own relative addresses are the deployment's.
  expect(isLocalPicture("a.png", "http://localhost:8123/d/0197f0a0/chat")).toBe(false);
});
