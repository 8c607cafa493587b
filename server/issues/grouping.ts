import { type GroupingRule, Invalid } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import { json, type Operation, operation, Uuid, workspaceOf } from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { type GroupingRuleForm, ShownGroupingRules } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "sessions" | "groupingRules">;

const params = Type.Object({ session_id: Uuid });
const common = {
  tag: "Tracing projects",
  path: "/v1/sessions/:session_id/grouping",
  access: issueApi,
  params,
};

/** `/v1/sessions/{id}/grouping`: what people say belongs together, for the traces that come. */
export const groupingRoutes = (deps: Deps): Operation[] => [getRules(deps), putRules(deps)];

const getRules = ({ sessions, groupingRules }: Deps) =>
  operation(
    {
      ...common,
      method: "GET",
      bodyLimit: "none",
      summary: "Get the grouping rules of a tracing project",
      answers: {
        200: { description: "The rules", schema: ShownGroupingRules },
        404: "No such tracing project",
      },
    },
    async ({ path, caller }) => {
      const { id } = await sessions.get(workspaceOf(caller), path.session_id);
      return json({ rules: await groupingRules.of(id) });
    },
  );

const putRules = ({ groupingRules }: Deps) =>
  operation(
    {
      ...common,
      method: "PUT",
      bodyLimit: "process",
      summary: "Replace the grouping rules of a tracing project",
      description: "The engine uses them for the traces that it looks at from then on.",
      body: ShownGroupingRules,
      answers: {
        200: { description: "The rules", schema: ShownGroupingRules },
        404: "No such tracing project",
        422: "A rule does not say what it matches",
      },
    },
    async ({ path, body, caller }) => {
      const rules = body.rules.map(ruleOf);
      await groupingRules.put(workspaceOf(caller), path.session_id.toLowerCase(), rules);
      return json({ rules });
    },
  );

function ruleOf({ match, key }: GroupingRuleForm, at: number): GroupingRule {
  const said = Object.entries(match).flatMap(([name, pattern]) => (pattern ? [[name, pattern]] : []));
  const msg = "Name at least one of what has to match";
  if (said.length === 0)
    throw new Invalid([{ loc: ["body", "rules", at, "match"], msg, type: "value_error" }]);
  return { match: Object.fromEntries(said), key };
}
