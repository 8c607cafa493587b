import type { Fingerprint, Issue } from "@berth/server";
import { detectorName } from "../issue/index.ts";
import { Section } from "../ui/index.ts";

/** Why traces were put together, in words, and what the next one is recognised by. */
export function Grouping({ issue: { fingerprints } }: { issue: Issue }) {
  if (fingerprints.length === 0)
    return (
      <Section title="Why these belong together">
        <p className="dialog-note">
          Somebody picked its traces by hand: no further one is recognised by itself.
        </p>
      </Section>
    );
  // An older version's stands beside the one that took it over: nobody put these together.
  const newest = Math.max(...fingerprints.map(({ version }) => version));
  const kinds = fingerprints.filter(({ version }) => version === newest).length;
  return (
    <Section
      title="Why these belong together"
      note={kinds > 1 ? `${kinds} kinds, put together by a person` : undefined}
      testId="grouping"
    >
      <ul className="issue-why">
        {fingerprints.map((print) => (
          <li key={print.fingerprint}>
            <p className="issue-why-reason">{print.reason}</p>
            <dl className="issue-why-parts">
              {partsOf(print).map(([name, value]) => (
                <Part key={name} name={name} value={value} />
              ))}
            </dl>
          </li>
        ))}
      </ul>
      <p className="dialog-note">
        A run belongs here when all of these are the same. What changes from run to run, such as ids, names
        and paths, is left out of the message as &lt;…&gt;.
      </p>
    </Section>
  );
}

function Part({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{name === "Found as" ? value : <code>{value}</code>}</dd>
    </>
  );
}

function partsOf({ detector, error_type, node, tool, thrown_at, message }: Fingerprint): [string, string][] {
  const parts: [string, string | null][] = [
    ["Found as", detectorName(detector)],
    ["Error", error_type],
    ["Node", node],
    ["Tool", tool],
    ["Thrown in", thrown_at],
    ["Message", message],
  ];
  return parts.flatMap(([name, value]) => (value ? [[name, value]] : []));
}
