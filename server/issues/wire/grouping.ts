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
          "All fields that you give have to match. `*` stands for any text; upper and lower case are the same. `message` is the message of the error, or the message as the issue shows it.",
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
  {
    rules: Type.Array(GroupingRuleForm, {
      maxItems: 100,
      description: "The first rule that matches counts.",
    }),
  },
  { $id: "GroupingRules" },
);
export type ShownGroupingRules = Static<typeof ShownGroupingRules>;
