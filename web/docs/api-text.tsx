/** What the API document says: paragraphs, lists and code. Its Markdown is our own, and no more than that. */
export function ApiText({ text }: { text: string }) {
  if (text.trim() === "") return null;
  return text.split(/\n{2,}/).map((part) => <Paragraph key={part} text={part} />);
}

function Paragraph({ text }: { text: string }) {
  const lines = text.split("\n");
  const isList = lines.every((line) => line.startsWith("- "));
  if (!isList) return <p>{spans(text)}</p>;
  return (
    <ul className="docs-words">
      {lines.map((line) => (
        <li key={line}>{spans(line.slice(2))}</li>
      ))}
    </ul>
  );
}

const spans = (text: string) =>
  text.split(/(`[^`]+`)/).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a text does not change
    part.startsWith("`") && part.length > 2 ? <code key={at}>{part.slice(1, -1)}</code> : part,
  );
