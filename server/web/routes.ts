import { NotFound } from "@berth/store";
import { type TObject, Type } from "@sinclair/typebox";
import { type Operation, operation } from "../http/operation.ts";
import { pageAnswer } from "./page-answer.ts";
import type { Site } from "./site.ts";

const tag = "Page";
const answers = { 200: { description: "The page", mediaType: "text/html" } };

/** The chat: one document under every address of its own, and the files that it loads. */
export const webRoutes = (site: Site): Operation[] => [
  document(site, "/"),
  document(site, "/chat/:thread_id", Type.Object({ thread_id: Type.String() })),
  document(site, "/sign-in"),
  asset(site),
];

/** Whoever may not call yet has to load the page in order to sign in. */
export const isPagePath = (pathname: string): boolean =>
  /^\/(?:(?:chat|assets)\/[^/]+|sign-in|sign-out|api\/session)?$/.test(pathname);

function document(site: Site, path: string, params?: TObject): Operation {
  return operation(
    {
      method: "GET",
      path,
      tag,
      summary: "The chat",
      answers,
      unlisted: true,
      ...(params === undefined ? {} : { params }),
    },
    async ({ request }) =>
      pageAnswer(await site.document(params ? "nested" : "document"), request, "document"),
  );
}

const asset = (site: Site) =>
  operation(
    {
      method: "GET",
      path: "/assets/:name",
      tag,
      summary: "A file of the chat",
      params: Type.Object({ name: Type.String() }),
      answers: { 200: "The file", 404: "No such file" },
      unlisted: true,
    },
    async ({ path, request }) => {
      const file = await site.asset(path.name);
      if (!file) throw new NotFound("No such file");
      return pageAnswer(file, request, "asset");
    },
  );
