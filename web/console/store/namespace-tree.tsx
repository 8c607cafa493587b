import { Folder } from "lucide-react";
import { Link } from "wouter";
import { classes } from "../../ui/index.ts";
import { useAddressQuery } from "../data/index.ts";
import type { Branch } from "./item.ts";

/** The namespaces that hold items, as a tree. */
export function NamespaceTree({ branches, current }: { branches: readonly Branch[]; current: string }) {
  const query = useAddressQuery();
  const all: Branch = { label: "All namespaces", name: "", depth: 0 };
  return (
    <nav className="namespaces" aria-label="Namespaces" data-testid="namespaces">
      <ul>
        {[all, ...branches].map(({ label, name, depth }) => (
          <li key={name}>
            <Link
              href={`/store${query.with({ ns: name, item: null, of: null })}`}
              className={classes("namespace", name === current && "namespace-current")}
              style={{ paddingInlineStart: `${0.5 + depth * 0.875}rem` }}
              aria-current={name === current ? "page" : undefined}
              title={name || undefined}
              data-testid="namespace"
            >
              <Folder aria-hidden="true" />
              <span>{label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
