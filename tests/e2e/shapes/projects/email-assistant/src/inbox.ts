/** What Agent Inbox shows. */
export type Question = {
  action_request: { action: string; args: Record<string, string> };
  config: { allow_accept: boolean; allow_edit: boolean; allow_respond: boolean; allow_ignore: boolean };
  description: string;
};

/** What it answers with, in a list of one. */
export type Answer =
  | { type: "accept" | "ignore"; args: unknown }
  | { type: "response"; args: string }
  | { type: "edit"; args: { action: string; args: Record<string, string> } };
