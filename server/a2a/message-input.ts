import type { Message } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import { contentOf, isValues } from "./parts.ts";

type Values = Record<string, unknown>;

/**
 * What a message asks a graph: its data parts are merged into the input, the others are one human message.
 * @throws RequestMalformedError for text or files when the graph takes no messages
 */
export function inputOf(message: Message, takesMessages: boolean): Values {
  const input = Object.assign({}, ...dataOf(message)) as Values;
  const content = contentOf(message.parts);
  if (content === undefined) return input;
  if (!takesMessages)
    throw new RequestMalformedError(
      "This agent takes no messages (its input has no `messages`): send its input as a data part",
    );
  const earlier = Array.isArray(input.messages) ? input.messages : [];
  return { ...input, messages: [...earlier, { type: "human", content, id: message.messageId }] };
}

/**
 * The answer to what a task asked: `{resume: …}` in a data part as the graph gets it, where a list of `{id, value}`
 * answers several questions at once; else the text, or the data.
 */
export function answerOf(message: Message): unknown {
  const data = dataOf(message);
  const given = data.find((one) => "resume" in one);
  if (given) return answersById(given.resume) ?? given.resume;
  return contentOf(message.parts) ?? Object.assign({}, ...data);
}

function answersById(resume: unknown): Values | undefined {
  if (!Array.isArray(resume) || resume.length === 0) return undefined;
  const answers = resume.filter(
    (one): one is { id: string; value: unknown } =>
      isValues(one) && typeof one.id === "string" && "value" in one,
  );
  if (answers.length !== resume.length) return undefined;
  return Object.fromEntries(answers.map(({ id, value }) => [id, value]));
}

function dataOf({ parts }: Message): Values[] {
  return parts.flatMap(({ content }) => {
    if (content?.$case !== "data") return [];
    if (!isValues(content.value)) throw new RequestMalformedError("A data part has to be an object");
    return [content.value];
  });
}
