import { ChevronRight } from "lucide-react";
import { memo, Suspense } from "react";
import { lazyScreen, Spinner } from "../ui/index.ts";
import type { OperationProps } from "./api-request.ts";
import { WORDS } from "./words.ts";

const OperationDetail = lazyScreen(() => import("./operation-detail.tsx"), "OperationDetail");

type OperationEntryProps = OperationProps & { isOpen: boolean; onToggle: (id: string) => void };

/** One line of the list; opened, everything about the operation. */
export const OperationEntry = memo(
  function OperationEntry({ isOpen, onToggle, ...about }: OperationEntryProps) {
    const { id, method, path, summary } = about.operation;
    return (
      <li id={id} className="docs-operation" data-testid="docs-operation">
        <button type="button" aria-expanded={isOpen} onClick={() => onToggle(id)}>
          <ChevronRight aria-hidden />
          <span className={`docs-method docs-method-${method.toLowerCase()}`}>{method}</span>
          <code>{path}</code>
          <span className="docs-summary">{summary}</span>
        </button>
        {isOpen && (
          <Suspense fallback={<Spinner label={WORDS.loading} />}>
            <OperationDetail {...about} />
          </Suspense>
        )}
      </li>
    );
  },
  // What only the open one shows does not draw the others anew.
  (a, b) => !a.isOpen && !b.isOpen && a.operation === b.operation,
);
