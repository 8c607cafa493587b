import { expect, test } from "bun:test";
import { noteForgotten } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { HERE, type IssueStore, startIssueStore } from "./issue-store.ts";

const SAID = "iban DE89 3704 0044";

/** What describes an issue as the engine does: with the texts of its findings. */
const RULES = {
  minTraces: 1,
  describe: ({ error_type, message, reason }: Record<"error_type" | "message" | "reason", string>) => ({
    ...{ name: `${error_type}: ${message}`, description: reason, severity: 1, cause: `It is ${message}` },
  }),
};

const kindOf = (template: string) => ({ place: "p", template, frames: [] });
const said = (message: string, template = message) => ({ message, reason: message, kind: kindOf(template) });

/** All that is stored of issues, as text. */
async function stored({ db }: IssueStore): Promise<string> {
  const tables = ["issues", "issue_fingerprints", "issue_traces", "fingerprints", "findings"] as const;
  const rows = await Promise.all(tables.map((table) => db.read.selectFrom(table).selectAll().execute()));
  return JSON.stringify([rows, await db.read.selectFrom("issue_history").selectAll().execute()]);
}

async function deleteThread({ db, clock, traces }: IssueStore, thread_id: string): Promise<void> {
  await db.write((tx) => noteForgotten(tx, { thread_id, at: clock.now() }, { workspaceId: HERE }));
  await traces.strip();
}

everyStore("of an issue whose runs were deleted", (open) => {
  test("nothing that they said is left where no other run shows it; its runs still count", async () => {
    const store = await startIssueStore(open);
    const trace = await store.run({ thread_id: "t", status: "error" });
    const { opened } = await store.scan([trace], said(SAID), RULES);
    expect(await stored(store)).toContain(SAID);
    await deleteThread(store, "t");
    expect(await stored(store)).not.toContain(SAID);
    const issue = await store.issues.get(HERE, opened[0]?.id ?? "");
    expect(issue).toMatchObject({ name: "ToolError in the tool search", status: "open", trace_count: 1 });
    expect(issue.description).toContain("was deleted");
    expect(issue.cause).toBeNull();
  });

  test("the text is of the runs that remain", async () => {
    const store = await startIssueStore(open);
    const one = await store.run({ thread_id: "one", status: "error" });
    const other = await store.run({ thread_id: "other", status: "error" });
    const { opened } = await store.scan([one], said(`no flights for ${SAID}`), RULES);
    await store.scan([other], said("no flights for Rome", "no flights for <value>"), RULES);
    await deleteThread(store, "one");
    expect(await stored(store)).not.toContain(SAID);
    const issue = await store.issues.get(HERE, opened[0]?.id ?? "");
    expect(issue).toMatchObject({
      name: "ToolError in the tool search: no flights for <value>",
      trace_count: 2,
    });
    expect(issue.description).toContain("Newest: no flights for Rome");
    await store.traces.delete(HERE, other);
    expect(await stored(store)).not.toContain("Rome");
  });

  test("a run that shows it later brings the text back, in the same issue", async () => {
    const store = await startIssueStore(open);
    const trace = await store.run({ thread_id: "t", status: "error" });
    const { opened } = await store.scan([trace], said("boom"), RULES);
    await deleteThread(store, "t");
    const again = await store.run({ thread_id: "u", status: "error" });
    const recorded = await store.scan([again], said("boom"), RULES);
    expect(recorded).toMatchObject({ opened: [], linked: 1 });
    const judge = () => ({ name: "ToolError: boom", description: "boom", severity: 1 });
    await store.issues.judgeAgain(store.session.id, { ...RULES, judge });
    expect(await store.issues.get(HERE, opened[0]?.id ?? "")).toMatchObject({
      name: "ToolError: boom",
      description: "boom",
      trace_count: 2,
    });
  });

  test("a text that a person wrote stays", async () => {
    const store = await startIssueStore(open);
    const trace = await store.run({ thread_id: "t", status: "error" });
    const { opened } = await store.scan([trace], said(SAID), RULES);
    const id = opened[0]?.id ?? "";
    await store.issues.patch(HERE, id, { name: "Ours", description: "As we see it" });
    await deleteThread(store, "t");
    expect(await store.issues.get(HERE, id)).toMatchObject({ name: "Ours", description: "As we see it" });
    expect(await stored(store)).not.toContain(SAID);
  });

  test("what the engine found while they were deleted is not stored", async () => {
    const store = await startIssueStore(open);
    const trace = await store.run({ thread_id: "t", status: "error" });
    await deleteThread(store, "t");
    await store.scan([trace], said(SAID), RULES);
    expect(await stored(store)).not.toContain(SAID);
  });
});
