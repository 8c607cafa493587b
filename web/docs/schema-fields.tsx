import { useState } from "react";
import { Button } from "../ui/index.ts";
import { type ApiDocument, type ApiSchema, fieldsBelow, kindOf } from "./api-document.ts";
import { ApiText } from "./api-text.tsx";
import { WORDS } from "./words.ts";

type SchemaFieldsProps = { schema: ApiSchema; api: ApiDocument };

/** The fields of a value, each with its kind and meaning; those below are shown when somebody asks. */
export function SchemaFields({ schema, api }: SchemaFieldsProps) {
  const shapes = fieldsBelow(schema, api);
  if (shapes.length === 0) return <p className="docs-kind">{kindOf(schema, api)}</p>;
  return (
    <>
      {kindOf(schema, api) !== "object" && <p className="docs-kind">{kindOf(schema, api)}</p>}
      {shapes.map((shape, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a schema does not change
        <ul key={at} className="docs-fields">
          {Object.entries(shape.properties ?? {}).map(([name, field]) => (
            <FieldRow
              key={name}
              {...{ name, field, api }}
              isRequired={shape.required?.includes(name) === true}
            />
          ))}
        </ul>
      ))}
    </>
  );
}

type FieldRowProps = { name: string; field: ApiSchema; isRequired: boolean; api: ApiDocument };

function FieldRow({ name, field, isRequired, api }: FieldRowProps) {
  const [isOpen, setOpen] = useState(false);
  const hasMore = fieldsBelow(field, api).length > 0;
  return (
    <li>
      <div className="docs-field">
        <code>{name}</code>
        <span className="docs-kind">{kindOf(field, api)}</span>
        {isRequired && <span className="docs-required">{WORDS.required}</span>}
        {field.default !== undefined && <small>{WORDS.defaultOf(JSON.stringify(field.default))}</small>}
        {hasMore && (
          <Button
            size="small"
            look="quiet"
            aria-expanded={isOpen}
            aria-label={WORDS.fieldsOf(name)}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? WORDS.less : WORDS.fields}
          </Button>
        )}
      </div>
      <ApiText text={field.description ?? ""} />
      {isOpen && <SchemaFields schema={field} api={api} />}
    </li>
  );
}
