import type { OperationProps } from "./api-request.ts";
import { ApiText } from "./api-text.tsx";
import { SchemaFields } from "./schema-fields.tsx";
import { TryIt } from "./try-it.tsx";
import { WORDS } from "./words.ts";

/** What an operation takes and gives, and where one tries it. */
export function OperationDetail(props: OperationProps) {
  const { operation, api } = props;
  const { description, body, answers, isOpen } = operation;
  return (
    <div className="docs-detail" data-testid="docs-detail">
      <ApiText text={description} />
      {isOpen && <p className="docs-note">{WORDS.needsNoKey}</p>}
      <TryIt {...props} />
      {body?.schema && (
        <section aria-label={WORDS.body}>
          <h3>{WORDS.body}</h3>
          <ApiText text={body.description} />
          <SchemaFields schema={body.schema} api={api} />
        </section>
      )}
      <section aria-label={WORDS.answers}>
        <h3>{WORDS.answers}</h3>
        <dl className="docs-answers">
          {answers.map(({ status, description: means, content }) => (
            <div key={status}>
              <dt>{status}</dt>
              <dd>
                <p>
                  {means}
                  {content && <small> {content.mediaType}</small>}
                </p>
                {content?.schema && Number(status) < 400 && (
                  <SchemaFields schema={content.schema} api={api} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
