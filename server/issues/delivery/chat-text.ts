type Fields = Readonly<Record<string, unknown>>;

const SEVERITIES = ["urgent", "high", "medium", "low"];
const MOST_DESCRIPTION = 600;

/** An event in a few lines for people, in the marks that Slack and its like read. */
export function chatText(body: string): string {
  const event = fieldsOf(JSON.parse(body));
  const data = fieldsOf(event.data);
  const object = fieldsOf(data.object);
  return [...linesOf(text(event.type), object, fieldsOf(data.trace)), link(object)]
    .filter((line) => line !== "")
    .join("\n");
}

function linesOf(type: string, object: Fields, trace: Fields): string[] {
  const severity = SEVERITIES[Number(object.severity)] ?? "";
  const where = escaped(text(object.session_name));
  const title = `*${escaped(text(object.name))}*`;
  switch (type) {
    case "issue.created":
      return [
        `New issue (${severity}) in ${where}: ${title}`,
        escaped(shortened(text(object.description), MOST_DESCRIPTION)),
      ];
    case "issue.trace.added":
      return [
        `Seen again in ${where} (${severity}): ${title}`,
        escaped(text(trace.comment)),
        `Run ${escaped(text(trace.run_id))} of ${text(trace.start_time)}`,
      ];
    case "issue.agent_run.failed":
      return [
        `The issue engine could not scan ${where}: ${escaped(text(object.status))}`,
        escaped(shortened(text(object.error_message), MOST_DESCRIPTION)),
      ];
    case "deployment.revision.deployed":
      return [`${revision(object)} is live`];
    case "deployment.revision.failed":
      return [
        `${revision(object)} failed: ${text(object.status)}`,
        escaped(shortened(text(object.error_message), MOST_DESCRIPTION)),
      ];
    case "deployment.revision.restarted":
      return [
        `${revision(object)} is started again`,
        escaped(shortened(text(object.error_message), MOST_DESCRIPTION)),
      ];
    default:
      return [`${escaped(type)} ${escaped(text(object.name) || text(object.deployment_name))}`.trim()];
  }
}

const revision = (object: Fields): string =>
  `Revision ${text(object.revision_number)} of *${escaped(text(object.deployment_name))}*`;

function link(object: Fields): string {
  const url = text(object.url);
  return url === "" ? "" : `<${url.replaceAll(">", "%3E").replaceAll("|", "%7C")}|Open it in Berth>`;
}

/** `<`, `>` and `&` would begin links, mentions (`<!channel>`) and entities. */
function escaped(words: string): string {
  const plain = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  // Services beside Slack take the bare words for a call to everybody.
  return plain.replaceAll(/@(?=(?:all|channel|everyone|here)\b)/gi, "@\u200b");
}

function shortened(words: string, most: number): string {
  return words.length <= most ? words : `${words.slice(0, most).trimEnd()}…`;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
