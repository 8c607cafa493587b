import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import { empty, json, momentOf, type Operation, operation, Uuid, workspaceOf } from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import {
  ModelPriceForm,
  ModelPricesPage,
  ShownModelPrice,
  shownModelPrice,
  shownModelPrices,
} from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "modelPrices">;

const common = { tag: "Figures", access: issueApi } as const;

/** `/v1/model-prices`: what models cost. */
export const modelPriceRoutes = (deps: Deps): Operation[] => [
  listPrices(deps),
  putPrice(deps),
  deletePrice(deps),
];

const listPrices = ({ modelPrices }: Deps) =>
  operation(
    {
      ...common,
      method: "GET",
      path: "/v1/model-prices",
      bodyLimit: "none",
      summary: "List what models cost",
      description:
        "US dollars for a million tokens: the prices of the workspace, and the list that comes with Berth, with its date.",
      answers: { 200: { description: "The prices", schema: ModelPricesPage } },
    },
    async ({ caller }) => json(shownModelPrices(await modelPrices.list(workspaceOf(caller)))),
  );

const putPrice = ({ modelPrices }: Deps) =>
  operation(
    {
      ...common,
      method: "PUT",
      path: "/v1/model-prices",
      bodyLimit: "small",
      summary: "Set the price of a model",
      description:
        "The price is for the workspace. Berth computes costs when somebody asks for them: so a price also counts for the past, unless it has a `since`. Berth looks for the model's name, then for the name without provider (`openai/`) and edition (`-2024-08-06`). A workspace has at most 1,000 prices.",
      body: ModelPriceForm,
      answers: {
        200: { description: "The price", schema: ShownModelPrice },
        400: "The model has no name, or there are 1,000 prices already",
      },
    },
    async ({ body, caller }) => {
      const { model, since, input, output, cache_read = null, cache_write = null } = body;
      const moment = momentOf("body", "since", since ?? undefined) ?? 0;
      const price = { model, input, output, cache_read, cache_write, since: moment };
      return json(shownModelPrice(await modelPrices.put(workspaceOf(caller), price)));
    },
  );

const deletePrice = ({ modelPrices }: Deps) =>
  operation(
    {
      ...common,
      method: "DELETE",
      path: "/v1/model-prices/:price_id",
      bodyLimit: "none",
      summary: "Delete a price of the workspace",
      params: Type.Object({ price_id: Uuid }),
      answers: { 204: "Deleted", 404: "No such price" },
    },
    async ({ path, caller }) => {
      await modelPrices.delete(workspaceOf(caller), path.price_id.toLowerCase());
      return empty();
    },
  );
