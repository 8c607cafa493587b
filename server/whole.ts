import { plainHttp } from "@berth/agent";
import { sharedDocumentation, sharedDocumentationPage } from "./access/index.ts";
import type { AppDeps } from "./app.ts";
import { type Control, type ControlDeps, createControl, gatewayRoutes } from "./control/index.ts";
import { docsPages } from "./docs/index.ts";
import type { Operation, OperationTable } from "./http/index.ts";
import { documentation, keySignIn } from "./later.ts";
import { createOperations, type Operations } from "./operations/index.ts";
import { chatDocuments, chatFiles } from "./web/index.ts";

/** What only a whole Berth has: deployments, and how all of it is looked after. */
export type Whole = { control: Control; operations: Operations };

type WholeDeps = {
  control: ControlDeps;
  operations: Omit<Parameters<typeof createOperations>[0], "leads">;
};

export function createWhole(deps: WholeDeps): Whole {
  const control = createControl(deps.control);
  return { control, operations: createOperations({ ...deps.operations, leads: () => control.leads() }) };
}

/** Mounts it at a process that serves already; also under the address that clients of LangGraph Platform have. */
export function mountWhole({ control, operations }: Whole, deps: AppDeps & { table: OperationTable }): void {
  const { table, site } = deps;
  // Also where it is no front: the engine beside it pulls from there.
  table.mount(control.registry);
  if (!deps.isFront) return;
  const { disabled } = deps.agent.project.http ?? plainHttp;
  table.mount(control.routes);
  table.mount(control.langsmith);
  table.mount(control.routes, { prefix: "/api-host" });
  // A key of any workspace is good there: it describes their deployments' API, too.
  const docs = disabled.has("meta") ? [] : documentation(deps, 1);
  table.mount(docs, { prefix: "/api-host", policyOf: sharedDocs });
  const pages = {
    documents: chatDocuments(site),
    files: chatFiles(site),
    signIn: keySignIn(deps),
    docs: docsPages(site),
  };
  table.mount(gatewayRoutes({ ...deps, ...control, pages }), { isExact: true });
  table.mount(operations.routes);
}

const sharedDocs = ({ spec }: Operation) =>
  spec.access.signIn ? sharedDocumentationPage : sharedDocumentation;
