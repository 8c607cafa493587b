import { Fault } from "@berth/store";
import { Elysia } from "elysia";
import { json } from "./answer.ts";
import { appError } from "./app-error.ts";
import { renderError } from "./errors.ts";
import type { OperationTable } from "./operation-table.ts";

/** Elysia plugin: unknown paths and methods, and failures of routes that are no operation. */
export function unmatched(table: OperationTable) {
  return new Elysia({ name: "unmatched" }).onError({ as: "global" }, ({ code, error, request }) => {
    if (code !== "NOT_FOUND" || error instanceof Fault) return renderError(error, request);
    const allowed = table.methodsAt(new URL(request.url).pathname);
    if (allowed.length === 0) return json(failure(request, 404, "Not Found"), 404);
    const methods = allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    return json(failure(request, 405, "Method Not Allowed"), 405, { allow: methods.join(", ") });
  });
}

const failure = (request: Request, status: number, message: string) => ({
  detail: message,
  ...appError(request, { status, message }),
});
