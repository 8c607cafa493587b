import { Download } from "lucide-react";
import { Menu } from "../../../ui/index.ts";
import { saveFile, useAction } from "../../data/index.ts";
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
    run(() => saveFile(`/v1/traces/export?format=${format}&${search}`, `runs.${format}`));
  return (
    <Menu
      label={WORDS.exportRuns}
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
