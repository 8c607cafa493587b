import type { OperationProps } from "./api-request.ts";
import { SchemaFields } from "./schema-fields.tsx";
import { TryIt } from "./try-it.tsx";
import { Words } from "./words.tsx";

/** What an operation takes and gives, and where one tries it. */
export function OperationDetail(props: OperationProps) {
  const { operation, api } = props;
  const { description, body, answers, isOpen } = operation;
  return (
    <div className="docs-detail" data-testid="docs-detail">
      <Words text={description} />
      {isOpen && <p className="docs-note">Needs no key.</p>}
      <TryIt {...props} />
      {body?.schema && (
        <section aria-label="Body">
          <h3>Body</h3>
          <Words text={body.description} />
          <SchemaFields schema={body.schema} api={api} />
        </section>
      )}
      <section aria-label="Answers">
        <h3>Answers</h3>
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
