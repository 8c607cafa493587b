import type { OpenApiDocument, SignIn } from "@berth/server";
import { Braces, ChevronRight, LayoutDashboard, MessageSquare, Search } from "lucide-react";
import { memo, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { base, consoleAddress, sessionPath } from "../api/index.ts";
import { useResource } from "../data/index.ts";
import { Button, Logo, lazyScreen, SkipLink, Spinner, TextField, ThemeMenu } from "../ui/index.ts";
import { type ApiDocument, type ApiGroup, matching, readDocument } from "./api-document.ts";
import type { OperationProps, Proof } from "./api-request.ts";
import { ApiText } from "./api-text.tsx";
import { WORDS } from "./words.ts";
import "./docs-page.css";

const OperationDetail = lazyScreen(() => import("./operation-detail.tsx"), "OperationDetail");

/** The control plane's second address describes the same, for a key of any workspace. */
const twin = /\/api-host\/docs\/?$/.test(window.location.pathname) ? "/api-host" : "";
const documentPath = `${twin}/openapi.json`;

/** In the reference of a deployment, which runs in a sandbox without a sign-in, the document is in the page. */
const embedded = embeddedDocument();

function embeddedDocument(): OpenApiDocument | undefined {
  const text = document.getElementById("api-document")?.textContent;
  return text ? (JSON.parse(text) as OpenApiDocument) : undefined;
}

/** Every operation of this server, to read and to try. */
export function DocsPage() {
  const { data, error, refresh } = useResource<OpenApiDocument>(embedded ? null : documentPath, {
    anywhere: true,
    once: true,
  });
  const { data: signIn } = useResource<SignIn>(sessionPath(""), { anywhere: true, once: true });
  const described = embedded ?? data;
  const api = useMemo(() => described && readDocument(described), [described]);
  return (
    <div className="docs">
      <SkipLink to="operations">{WORDS.skipToTheOperations}</SkipLink>
      <header className="docs-header">
        <Logo />
        <h1>{WORDS.berthApi}</h1>
        <span className="docs-gap" />
        <OtherPages hasConsole={signIn?.has_console === true} />
        <ThemeMenu />
      </header>
      {api && <Operations api={api} wantsKey={embedded !== undefined || signIn?.required === true} />}
      {!api && !error && <Spinner label={WORDS.loading} />}
      {error && (
        <main className="docs-failed" id="operations" role="alert">
          <p>{WORDS.descriptionNotLoaded(error.message)}</p>
          <Button onClick={refresh}>{WORDS.tryAgain}</Button>
        </main>
      )}
    </div>
  );
}

function OtherPages({ hasConsole }: { hasConsole: boolean }) {
  return (
    <nav className="docs-links" aria-label={WORDS.pages}>
      <a href={`${base}/`} data-testid="to-chat">
        <MessageSquare aria-hidden />
        {WORDS.chat}
      </a>
      {hasConsole && (
        <a href={consoleAddress} data-testid="to-console">
          <LayoutDashboard aria-hidden />
          {WORDS.console}
        </a>
      )}
      <a href={base + documentPath}>
        <Braces aria-hidden />
        {WORDS.openapiJson}
      </a>
      <a href={`${base}${twin}/docs/swagger`}>{WORDS.swaggerUi}</a>
    </nav>
  );
}

function Operations({ api, wantsKey }: { api: ApiDocument; wantsKey: boolean }) {
  const [query, setQuery] = useState("");
  const [proof, setProof] = useState<Proof>({ key: "", workspace: "" });
  const groups = useMemo(() => matching(api.groups, query), [api, query]);
  const { openId, toggle } = useOpenOperation();
  return (
    <div className="docs-body">
      <GroupList groups={groups} query={query} onQuery={setQuery} />
      <main className="docs-operations" id="operations" tabIndex={-1}>
        <ApiText text={api.description} />
        <ProofFields api={api} proof={proof} onChange={setProof} />
        {groups.length === 0 && <p role="status">{WORDS.noOperationsMatch}</p>}
        {groups.map(({ name, description, operations }) => (
          <section key={name} id={groupId(name)} aria-label={name} data-testid="docs-group">
            <h2>{name}</h2>
            <ApiText text={description} />
            <ul className="docs-list">
              {operations.map((operation) => (
                <OperationEntry
                  key={operation.id}
                  {...{ operation, api, proof, wantsKey }}
                  isOpen={openId === operation.id}
                  onToggle={toggle}
                />
              ))}
            </ul>
          </section>
        ))}
      </main>
    </div>
  );
}

type GroupListProps = { groups: readonly ApiGroup[]; query: string; onQuery: (query: string) => void };

function GroupList({ groups, query, onQuery }: GroupListProps) {
  return (
    <nav className="docs-groups" aria-label={WORDS.groups}>
      <TextField
        label={WORDS.searchOperations}
        hideLabel
        type="search"
        icon={<Search />}
        placeholder={WORDS.searchOperations}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        data-testid="docs-search"
      />
      <ul>
        {groups.map(({ name, operations }) => (
          <li key={name}>
            <a href={`#${groupId(name)}`}>
              {name}
              <small>{operations.length}</small>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const groupId = (name: string) => `group-${name.replaceAll(/\W+/g, "-").toLowerCase()}`;

const inAddress = () => decodeURIComponent(window.location.hash.slice(1));

/** The operation that is open; the address names it, so that one can send a link to it. */
function useOpenOperation() {
  const [openId, setOpenId] = useState(inAddress);
  useEffect(() => {
    const look = () => {
      const id = inAddress();
      if (document.getElementById(id)?.dataset.testid === "docs-operation") setOpenId(id);
    };
    window.addEventListener("hashchange", look);
    // What the address names was not there yet when the browser looked for it.
    document.getElementById(inAddress())?.scrollIntoView();
    return () => window.removeEventListener("hashchange", look);
  }, []);
  const toggle = useCallback((id: string) => {
    const isOpen = id === inAddress();
    history.replaceState(history.state, "", isOpen ? window.location.pathname : `#${encodeURIComponent(id)}`);
    setOpenId(isOpen ? "" : id);
  }, []);
  return { openId, toggle };
}

type ProofFieldsProps = { api: ApiDocument; proof: Proof; onChange: (proof: Proof) => void };

/** Who the requests of this page come from: whoever signed in, unless another key is given. */
function ProofFields({ api, proof, onChange }: ProofFieldsProps) {
  return (
    <div className="docs-proof">
      <TextField
        label={WORDS.apiKey}
        type="password"
        autoComplete="off"
        hint={embedded ? WORDS.apiKeyHintInSandbox : WORDS.apiKeyHint}
        value={proof.key}
        onChange={(event) => onChange({ ...proof, key: event.target.value.trim() })}
        data-testid="docs-key"
      />
      {api.hasWorkspaces && (
        <TextField
          label={WORDS.workspace}
          hint={WORDS.workspaceHint}
          value={proof.workspace}
          onChange={(event) => onChange({ ...proof, workspace: event.target.value.trim() })}
        />
      )}
    </div>
  );
}

type OperationEntryProps = OperationProps & { isOpen: boolean; onToggle: (id: string) => void };

/** One line of the list; opened, everything about the operation. */
const OperationEntry = memo(
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
