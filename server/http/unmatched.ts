import { Elysia } from "elysia";
import { renderError } from "./errors.ts";

/** Elysia plugin: failures outside of every route. */
export const unmatched = () =>
  new Elysia({ name: "unmatched" }).onError({ as: "global" }, ({ error, request }) =>
    renderError(error, request),
  );
