import { useState } from "react";
import { Button } from "../../ui/index.ts";
import { JsonView, Section } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

/** What a receiver needs to check signatures, to copy. */
export function Snippets() {
  const [chosen, setChosen] = useState<string>("ts");
  const snippet = SNIPPETS.find(({ id }) => id === chosen) ?? SNIPPETS[0];
  return (
    <Section
      title={WORDS.checkTheSignature}
      note={WORDS.signatureNote}
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
      <JsonView value={snippet.text} label={WORDS.howToCheck(snippet.label)} />
      <p className="dialog-note">{WORDS.librariesNote}</p>
    </Section>
  );
}

/** How a receiver checks that a delivery is from here; a test compares each with the one in docs/webhooks.md. */
export const SNIPPETS = [
  {
    id: "ts",
    label: WORDS.typescript,
    text: `import { createHmac, timingSafeEqual } from "node:crypto";

export function isFromBerth(body: Uint8Array, signature: string | null, secret: string): boolean {
  const expected = Buffer.from(\`sha256=\${createHmac("sha256", secret).update(body).digest("hex")}\`);
  const given = Buffer.from(signature ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
`,
  },
  {
    id: "python",
    label: WORDS.python,
    text: `import hashlib
import hmac


def is_from_berth(body: bytes, signature: str | None, secret: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())
`,
  },
  {
    id: "go",
    label: WORDS.go,
    text: `package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

func IsFromBerth(body []byte, signature, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(signature))
}
`,
  },
] as const;
