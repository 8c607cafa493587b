import { type Static, Type } from "@sinclair/typebox";
import { optional } from "../../http/index.ts";

const Pattern = optional(Type.String({ minLength: 1, maxLength: 500 }));
export const GroupingRuleForm = Type.Object(
  {
    match: Type.Object(
      {
        message: Pattern,
        error_type: Pattern,
        node: Pattern,
        tool: Pattern,
        thrown_at: Pattern,
      },
      {
        description:
          "All named fields have to match; `*` stands for any text, and capitals make no difference. `message` is the message as it was thrown, or as the issue shows it.",
      },
    ),
    key: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Failures with the same key are one issue.",
    }),
  },
  { $id: "GroupingRule" },
);
export type GroupingRuleForm = Static<typeof GroupingRuleForm>;

export const ShownGroupingRules = Type.Object(
  { rules: Type.Array(GroupingRuleForm, { maxItems: 100, description: "The first that matches counts." }) },
  { $id: "GroupingRules" },
);
export type ShownGroupingRules = Static<typeof ShownGroupingRules>;
