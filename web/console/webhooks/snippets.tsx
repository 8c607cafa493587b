import { useState } from "react";
import { Button } from "../../ui/index.ts";
import { JsonView, Section } from "../ui/index.ts";
import { SNIPPETS } from "./snippet-texts.ts";

/** What a receiver needs to check signatures, to copy. */
export function Snippets() {
  const [chosen, setChosen] = useState<string>("ts");
  const snippet = SNIPPETS.find(({ id }) => id === chosen) ?? SNIPPETS[0];
  return (
    <Section
      title="Check the signature"
      note="X-Service-Signature, over the raw bytes, before anything reads them as JSON"
      testId="snippets"
      actions={
        <div className="snippet-tabs">
          {SNIPPETS.map(({ id, label }) => (
            <Button
              key={id}
              size="small"
              look={id === chosen ? "plain" : "quiet"}
              aria-pressed={id === chosen}
              onClick={() => setChosen(id)}
              data-testid={`snippet-${id}`}
            >
              {label}
            </Button>
          ))}
        </div>
      }
    >
      <JsonView value={snippet.text} label={`How to check it in ${snippet.label}`} />
      <p className="dialog-note">
        Libraries for Standard Webhooks verify it, too. Answer with a 2xx within 20 seconds, and ignore an id
        that you know: a delivery may come twice.
      </p>
    </Section>
  );
}
