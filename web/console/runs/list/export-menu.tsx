import { Download } from "lucide-react";
import { base } from "../../../api/index.ts";
import { Menu } from "../../../ui/index.ts";
import { RequestFailed, tenantHeaders, useAction } from "../../data/index.ts";
import { WORDS } from "../words.tsx";

const FORMATS = [
  { format: "csv", label: WORDS.csv },
  { format: "jsonl", label: WORDS.jsonLines },
  { format: "json", label: WORDS.json },
] as const;

/** The runs that a search finds, as a file. */
export function ExportMenu({ search }: { search: string }) {
  const { run } = useAction();
  const save = (format: string) =>
    run(() => download(`/v1/traces/export?format=${format}&${search}`, `runs.${format}`));
  return (
    <Menu
      label={WORDS.export10000Runs}
      icon={<Download />}
      size="small"
      testId="export"
      items={FORMATS.map(({ format, label }) => ({
        ...{ label, testId: `export-${format}` },
        onSelect: () => void save(format),
      }))}
    />
  );
}

/** Keeps an answer as a file: a link would not say which workspace is meant. */
async function download(path: string, name: string): Promise<void> {
  const response = await fetch(base + path, { headers: tenantHeaders() });
  if (!response.ok) throw new RequestFailed(response.status, WORDS.theRuns);
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
