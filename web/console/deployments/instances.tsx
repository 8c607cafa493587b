import type { Instance, InstancesList } from "@berth/server";
import { useResource } from "../data/index.ts";
import { pathOf } from "../deployment.tsx";
import { Ago, bytesText, type Column, Problem, Section, StatusBadge, Table } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

/** A restart or a wake-up changes no revision: nobody tells of it. */
const LOOK_MS = 10_000;

const DIGEST_CHARACTERS = 12;

/** Where a deployment runs, and how each instance of it is. */
export function Instances({ id }: { id: string }) {
  const { data, error, refresh } = useResource<InstancesList>(`${pathOf(id)}/instances`, {
    everyMs: LOOK_MS,
    live: ["deployments"],
  });
  return (
    <Section title={WORDS.whereItRuns}>
      {error && <Problem error={error} retry={refresh} />}
      {data && (
        <Table
          label={WORDS.instances}
          testId="instances"
          columns={columns}
          rows={data.resources}
          rowKey={({ id: instance }) => instance}
          empty={<p className="form-note">{WORDS.noInstancesRunNow}</p>}
        />
      )}
    </Section>
  );
}

const columns: Column<Instance>[] = [
  { name: WORDS.place, width: "minmax(10rem, 2fr)", cell: ({ place }) => place },
  {
    name: WORDS.state,
    width: "minmax(8rem, 1fr)",
    cell: ({ state, asleep_since }) => <StatusBadge status={asleep_since === null ? state : "asleep"} />,
  },
  {
    name: WORDS.revision,
    width: "5rem",
    cell: ({ revision_number }) => (revision_number === null ? "–" : `#${revision_number}`),
  },
  { name: WORDS.image, width: "minmax(8rem, 1.2fr)", cell: imageOf },
  { name: WORDS.restarts, width: "5rem", align: "end", cell: ({ restarts }) => restarts },
  { name: WORDS.created, width: "6rem", align: "end", cell: ({ created_at }) => <Ago at={created_at} /> },
];

/** Only images have a digest, and only those of Berth's own registry a size. */
export function imageOf({ image_digest, image_bytes }: Pick<Instance, "image_digest" | "image_bytes">) {
  if (image_digest === null) return "–";
  return (
    <span title={image_digest}>
      <code>{image_digest.replace("sha256:", "").slice(0, DIGEST_CHARACTERS)}</code>
      {image_bytes !== null && ` · ${bytesText(image_bytes)}`}
    </span>
  );
}
